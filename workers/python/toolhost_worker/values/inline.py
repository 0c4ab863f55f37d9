"""Schemas with the definitions that they need, and no others."""

from __future__ import annotations

from typing import Callable, Dict, FrozenSet, Set

from .codec import Schema

_PREFIX = "#/$defs/"
_MAPS = ("properties", "$defs", "patternProperties", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else")
_SINGLES = (*_SINGLE, "unevaluatedProperties", "unevaluatedItems")


def inline(schema: Schema, definitions: Dict[str, Schema]) -> Schema:
    """Replaces references by what they name, for models read that more easily. Only a definition that contains itself
    stays one."""
    recursive = {name for name in definitions if _reaches(name, definitions)}
    kept: Dict[str, Schema] = {}

    def replace(each: Schema) -> Schema:
        name = _target(each)
        if name is None or name not in definitions:
            return each
        if name in recursive:
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


def _reaches(name: str, definitions: Dict[str, Schema]) -> bool:
    """Whether a definition leads to itself."""
    seen: Set[str] = set()
    open_names = [name]
    while open_names:
        for each in _references(definitions.get(open_names.pop(), {})):
            if each == name:
                return True
            if each not in seen:
                seen.add(each)
                open_names.append(each)
    return False


def _references(schema: Schema) -> FrozenSet[str]:
    found: Set[str] = set()

    def note(each: Schema) -> Schema:
        name = _target(each)
        if name is not None:
            found.add(name)
        return each

    map_schemas(schema, note)
    return frozenset(found)
