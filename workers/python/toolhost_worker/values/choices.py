"""Literals and enums: one of a few values."""

from __future__ import annotations

import enum
from typing import Any, Iterable, List, Tuple, Type

from .codec import Codec, Reader, Schema, Unsupported
from .invalid import invalid

_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


def literal_codec(choices: Iterable[Any]) -> Codec:
    return _choice([(_json_of(each), each) for each in choices])


def enum_codec(kind: Type[enum.Enum]) -> Codec:
    """A member is its value; its name, if the value is not a string, number, boolean or null. A flag is its number."""
    if issubclass(kind, enum.Flag):
        return Codec({"type": "integer", "minimum": 0}, _flag_reader(kind))
    return literal_codec(list(kind))


def _json_of(choice: Any) -> Any:
    value = choice.value if isinstance(choice, enum.Enum) else choice
    if type(value) in _TYPES:
        return value
    if isinstance(choice, enum.Enum):
        return choice.name
    raise Unsupported(f"has a Literal of a {type(choice).__name__}, which JSON cannot hold")


def _choice(pairs: List[Tuple[Any, Any]]) -> Codec:
    values = [value for value, _ in pairs]
    names = list(dict.fromkeys(_TYPES[type(value)] for value in values))
    schema: Schema = {"enum": values}
    if len(names) == 1:
        schema = {"type": names[0], "enum": values}
    elif len(names) == 2 and "null" in names:
        schema = {"type": names, "enum": values}
    words = "must be " + " or ".join(str(_text(value)) for value in values[:10])

    def read(given: Any) -> Any:
        for value, choice in pairs:
            # True == 1, and 1.0 == 1.
            if value == given and isinstance(value, bool) == isinstance(given, bool):
                return choice
        raise invalid(words if len(values) <= 10 else "must be one of the values of its enum")

    return Codec(schema, read)


def _text(value: Any) -> str:
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _flag_reader(kind: Type[enum.Flag]) -> Reader:
    def read(given: Any) -> Any:
        try:
            if isinstance(given, int) and not isinstance(given, bool):
                return kind(given)
        except ValueError:
            pass
        raise invalid("must be a sum of its flags")

    return read
