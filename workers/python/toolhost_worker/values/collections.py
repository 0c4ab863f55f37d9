"""Lists, tuples, sets and mappings."""

from __future__ import annotations

import collections
import collections.abc
from typing import Any, Callable, Dict, List, Sequence

from .codec import Codec, Reader, Schema, Unsupported, read_with
from .invalid import Invalid, invalid

_LISTS: Dict[Any, Callable[[List[Any]], Any]] = {
    list: list,
    collections.abc.Sequence: list,
    collections.abc.MutableSequence: list,
    collections.abc.Iterable: list,
    collections.abc.Collection: list,
    collections.deque: collections.deque,
    set: set,
    frozenset: frozenset,
    collections.abc.Set: set,
    collections.abc.MutableSet: set,
}
_SETS = (set, frozenset, collections.abc.Set, collections.abc.MutableSet)
_MAPPINGS: Dict[Any, Callable[[Dict[Any, Any]], Any]] = {
    dict: dict,
    collections.abc.Mapping: dict,
    collections.abc.MutableMapping: dict,
    collections.OrderedDict: collections.OrderedDict,
}


def is_list(origin: Any) -> bool:
    return origin in _LISTS


def is_mapping(origin: Any) -> bool:
    return origin in _MAPPINGS


def list_codec(origin: Any, item: Codec) -> Codec:
    schema: Schema = {"type": "array", "items": item.schema}
    if origin in _SETS:
        schema["uniqueItems"] = True
    make = _LISTS[origin]

    def read(value: Any) -> Any:
        items = _items(value)
        try:
            return make(_read_items([item] * len(items), items))
        except TypeError:
            # An object in a set.
            raise invalid("must have items that can be compared") from None

    return Codec(schema, read)


def tuple_codec(items: Sequence[Codec]) -> Codec:
    """A tuple of a fixed length."""
    size = len(items)
    schema: Schema = {"type": "array", "minItems": size, "maxItems": size}
    if items:
        schema["prefixItems"] = [each.schema for each in items]
        schema["items"] = False

    def read(value: Any) -> Any:
        given = _items(value)
        if len(given) != size:
            raise invalid(f"must have {size} items")
        return tuple(_read_items(items, given))

    return Codec(schema, read)


def long_tuple_codec(item: Codec) -> Codec:
    """`tuple[int, ...]`."""
    as_list = list_codec(list, item)
    return Codec(as_list.schema, lambda value: tuple(read_with(as_list, value)))


def mapping_codec(origin: Any, key: Codec, value: Codec) -> Codec:
    schema: Schema = {"type": "object"}
    names = {name: word for name, word in key.schema.items() if name not in ("type", "description")}
    read_key = _key_reader(key)
    if names and key.schema.get("type") == "string":
        schema["propertyNames"] = names
    schema["additionalProperties"] = value.schema or True
    make = _MAPPINGS[origin]

    def read(given: Any) -> Any:
        if not isinstance(given, dict):
            raise invalid("must be an object")
        issues = []
        found = {}
        for name, item in given.items():
            try:
                found[read_key(name)] = read_with(value, item)
            except Invalid as error:
                issues += error.below(name).issues
        if issues:
            raise Invalid(issues)
        return make(found)

    return Codec(schema, read)


def _key_reader(key: Codec) -> Reader:
    """Keys are strings in JSON, also those that are numbers in Python."""
    if key.schema == {} or key.schema.get("type") == "string":
        return lambda name: read_with(key, name)
    convert: Callable[[str], Any] = int if key.schema.get("type") == "integer" else float
    if key.schema.get("type") not in ("integer", "number"):
        raise Unsupported("has keys that are neither strings nor numbers, which JSON cannot hold")

    def read(name: str) -> Any:
        try:
            number = convert(name)
        except ValueError:
            raise invalid(f"must have a key that is a {key.schema['type']}") from None
        return read_with(key, number)

    return read


def _items(value: Any) -> List[Any]:
    if not isinstance(value, list):
        raise invalid("must be an array")
    return value


def _read_items(codecs: Sequence[Codec], items: List[Any]) -> List[Any]:
    issues = []
    found = []
    for position, (codec, item) in enumerate(zip(codecs, items)):
        try:
            found.append(read_with(codec, item))
        except Invalid as error:
            issues += error.below(position).issues
    if issues:
        raise Invalid(issues)
    return found
