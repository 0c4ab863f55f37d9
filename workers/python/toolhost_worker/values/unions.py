"""Unions: the first member that a value fits."""

from __future__ import annotations

from typing import Any, List, Sequence

from .codec import Codec, Reader, Schema, read_with
from .invalid import Invalid, invalid


def union_codec(members: Sequence[Codec]) -> Codec:
    schemas: List[Schema] = []
    for each in members:
        if each.schema not in schemas:
            schemas.append(each.schema)
    if {} in schemas:
        return Codec({}, _reader(members))
    return Codec(_merge(schemas), _reader(members))


def _merge(schemas: List[Schema]) -> Schema:
    if len(schemas) == 1:
        return schemas[0]
    types = [each["type"] for each in schemas if list(each) == ["type"] and isinstance(each["type"], str)]
    if len(types) == len(schemas):
        return {"type": types}
    if len(schemas) == 2 and {"type": "null"} in schemas:
        other = schemas[0] if schemas[1] == {"type": "null"} else schemas[1]
        # `enum` and references would forbid null.
        if isinstance(other.get("type"), str) and "enum" not in other:
            return {**other, "type": [other["type"], "null"]}
    return {"anyOf": schemas}


def _reader(members: Sequence[Codec]) -> Reader:
    def read(value: Any) -> Any:
        issues: List[Invalid] = []
        for each in members:
            try:
                return read_with(each, value)
            except Invalid as error:
                issues.append(error)
        # A value that fits one member but for something inside it is explained by that member.
        inside = [error for error in issues if all(path for path, _ in error.issues)]
        if len(inside) == 1:
            raise inside[0]
        words = " or ".join(error.issues[0][1].replace("must be ", "", 1) for error in issues if not error.issues[0][0])
        raise invalid(f"must be {words}" if words else "does not fit any form that is allowed")

    return read
