"""Dataclasses, TypedDicts and NamedTuples: objects with named members."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from ..introspection.docstring import read_docstring
from ..introspection.hints import read_hints
from .codec import Codec, Reader, Schema, read_with
from .defaults import describe_default, is_stable
from .forms import form_of, inner_of
from .invalid import Invalid, invalid

Find = Callable[[Any, Any], Codec]
"""From an annotation and a default to the codec."""


class Member(NamedTuple):
    name: str
    codec: Codec
    description: Optional[str]
    is_required: bool
    make_default: Optional[Callable[[], Any]]


def is_typed_dict(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, dict) and hasattr(kind, "__total__")


def is_named_tuple(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


def typed_dict_codec(kind: Any, find: Find) -> Codec:
    """Open, as the type is: other members pass."""
    members: List[Member] = []
    words = read_docstring(kind).arguments
    for name, hint in read_hints(kind).items():
        # With annotations as strings the class itself does not know what NotRequired says.
        is_required = name in kind.__required_keys__
        while form_of(hint) in ("Required", "NotRequired", "ReadOnly"):
            is_required = {"Required": True, "NotRequired": False}.get(form_of(hint), is_required)
            hint = inner_of(hint)
        members.append(Member(name, find(hint, ...), words.get(name), is_required, None))
    return Codec(_schema(kind, members), _reader(members, dict, is_open=True))


def dataclass_codec(kind: Any, find: Find, *, is_result: bool) -> Codec:
    members: List[Member] = []
    words = read_docstring(kind).arguments
    hints = read_hints(kind)
    for field in dataclasses.fields(kind):
        if not field.init and not is_result:
            continue
        default = _default_of(field)
        has_default = default is not None or field.default_factory is not dataclasses.MISSING
        description = field.metadata.get("description") or words.get(field.name)
        # A result has all members.
        is_required = is_result or not has_default
        codec = find(hints[field.name], field.default)
        members.append(Member(field.name, codec, description, is_required, default))
    schema = _schema(kind, members)
    if not is_result:
        # The result of a subclass has more members.
        schema["additionalProperties"] = False
    return Codec(schema, _reader(members, _caller(kind), is_open=False))


def named_tuple_codec(kind: Any, find: Find, *, is_result: bool) -> Codec:
    """An object in arguments; in results an array, as json writes it."""
    hints = read_hints(kind)
    codecs = [find(hints.get(name, Any), kind._field_defaults.get(name, ...)) for name in kind._fields]
    if is_result:
        size = len(codecs)
        items = [each.schema for each in codecs]
        return Codec({"type": "array", "minItems": size, "maxItems": size, "prefixItems": items, "items": False})
    members: List[Member] = []
    words = read_docstring(kind).arguments
    for name, codec in zip(kind._fields, codecs):
        default = _constant(kind._field_defaults[name]) if name in kind._field_defaults else None
        members.append(Member(name, codec, words.get(name), default is None, default))
    schema = _schema(kind, members)
    schema["additionalProperties"] = False
    return Codec(schema, _reader(members, _caller(kind), is_open=False))


def _default_of(field: "dataclasses.Field[Any]") -> Optional[Callable[[], Any]]:
    """:returns: what makes the default that is described; None if there is none"""
    if field.default is not dataclasses.MISSING:
        return _constant(field.default)
    if field.default_factory is dataclasses.MISSING or not is_stable(field.default_factory):
        return None
    return field.default_factory


def _schema(kind: Any, members: List[Member]) -> Schema:
    properties: Dict[str, Schema] = {}
    for each in members:
        properties[each.name] = dict(each.codec.schema)
        if each.description and "description" not in properties[each.name]:
            properties[each.name]["description"] = each.description
        if each.make_default is not None and not each.is_required:
            describe_default(properties[each.name], each.make_default)
    schema: Schema = {"type": "object", "properties": properties}
    required = [each.name for each in members if each.is_required]
    if required:
        schema["required"] = required
    description = _own_description(kind)
    return {"description": description, **schema} if description else schema


def _own_description(kind: Any) -> str:
    documented = vars(kind).get("__doc__") or ""
    # What dataclass and NamedTuple write themselves.
    return "" if documented.startswith(f"{kind.__name__}(") else read_docstring(kind).description


def _reader(members: List[Member], make: Callable[[Dict[str, Any]], Any], *, is_open: bool) -> Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise invalid("must be an object")
        issues = []
        found = dict(value) if is_open else {}
        for each in members:
            if each.name not in value:
                if each.is_required:
                    issues += invalid("is required").below(each.name).issues
                continue
            try:
                found[each.name] = read_with(each.codec, value[each.name])
            except Invalid as error:
                issues += error.below(each.name).issues
        if not is_open:
            known = {each.name for each in members}
            for name in value:
                if name not in known:
                    issues += invalid("is not allowed").below(name).issues
        if issues:
            raise Invalid(issues)
        return make(found)

    return read


def _caller(kind: Any) -> Callable[[Dict[str, Any]], Any]:
    def make(members: Dict[str, Any]) -> Any:
        try:
            return kind(**members)
        except (ValueError, TypeError):
            # The author's own check in __post_init__. Its words may quote the value.
            raise invalid(f"is not a valid {kind.__name__}") from None

    return make


def _constant(value: Any) -> Callable[[], Any]:
    return lambda: value
