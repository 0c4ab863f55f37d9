"""Schemas with the definitions that they need, and no others."""

from __future__ import annotations

from collections import Counter
from typing import Callable, Dict, List, Set

from .codec import Schema

_PREFIX = "#/$defs/"
_MAPS = ("properties", "$defs", "patternProperties", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else")
_SINGLES = (*_SINGLE, "unevaluatedProperties", "unevaluatedItems")


# How many schemas a definition may add wherever it is used. Each level of classes may multiply what is below it.
_LARGE = 64


def inline(schema: Schema, definitions: Dict[str, Schema]) -> Schema:
    """Replaces references by what they name, for models read that more easily. A definition that contains itself, or is
    large and used several times, stays one."""
    apart = _kept_apart(schema, definitions)
    kept: Dict[str, Schema] = {}

    def replace(each: Schema) -> Schema:
        name = _target(each)
        if name is None or name not in definitions:
            return each
        if name in apart:
            if name not in kept:
                kept[name] = {}
                kept[name] = map_schemas(definitions[name], replace)
            return each
        beside = {key: value for key, value in each.items() if key != "$ref"}
        return {**map_schemas(definitions[name], replace), **beside}

    root = map_schemas(schema, replace)
    return {**root, "$defs": kept} if kept else root


def map_schemas(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """:returns: a copy in which each schema, from the root inwards, is what `change` makes of it"""
    changed = change(schema)
    if changed is not schema:
        # What it was replaced by is done already.
        return changed
    copy: Schema = {}
    for key, value in schema.items():
        if key in _MAPS and isinstance(value, dict):
            copy[key] = {name: _map(each, change) for name, each in value.items()}
        elif key in _LISTS and isinstance(value, list):
            copy[key] = [_map(each, change) for each in value]
        else:
            copy[key] = _map(value, change) if key in _SINGLES else value
    return copy


def _map(value: object, change: Callable[[Schema], Schema]) -> object:
    return map_schemas(value, change) if isinstance(value, dict) else value


def _target(schema: Schema) -> "str | None":
    reference = schema.get("$ref")
    return reference[len(_PREFIX) :] if isinstance(reference, str) and reference.startswith(_PREFIX) else None


def _kept_apart(schema: Schema, definitions: Dict[str, Schema]) -> Set[str]:
    """:returns: the definitions that are not written where they are used"""
    contents = {name: _Content(each) for name, each in definitions.items()}
    apart = {name for name in definitions if _reaches(name, contents)}
    uses = Counter(name for each in (_Content(schema), *contents.values()) for name in each.references)
    sizes: Dict[str, int] = {}

    def size_of(name: str) -> int:
        if name in apart or name not in contents:
            return 1
        if name not in sizes:
            content = contents[name]
            sizes[name] = content.schemas + sum(map(size_of, content.references))
            if sizes[name] > _LARGE and uses[name] > 1:
                apart.add(name)
                return 1
        return sizes[name]

    for name in definitions:
        size_of(name)
    return apart


class _Content:
    """How many schemas a schema contains, itself included, and the names of its references, each as often as it occurs."""

    def __init__(self, schema: Schema) -> None:
        self.schemas = 0
        self.references: List[str] = []
        map_schemas(schema, self._note)

    def _note(self, each: Schema) -> Schema:
        self.schemas += 1
        name = _target(each)
        if name is not None:
            self.references.append(name)
        return each


def _reaches(name: str, contents: Dict[str, _Content]) -> bool:
    """Whether a definition leads to itself."""
    seen: Set[str] = set()
    open_names = [name]
    while open_names:
        content = contents.get(open_names.pop())
        for each in [] if content is None else content.references:
            if each == name:
                return True
            if each not in seen:
                seen.add(each)
                open_names.append(each)
    return False
