"""The parameters of a function, as the properties of a JSON Schema."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Union, get_args, get_origin

from ..values.codec import Reader, Schema, Unsupported
from ..values.defaults import describe_default, is_stable
from ..values.forms import UNIONS, inner_of
from ..values.pydantic_types import read_field_default
from ..values.types import Types


@dataclass(frozen=True)
class Parameter:
    name: str
    read: Optional[Reader] = None
    """None: the JSON value is the value already."""
    make_default: Optional[Callable[[], Any]] = None
    """None: an argument is required, or the function has the default itself."""
    is_required: bool = False
    is_positional: bool = False
    is_context: bool = False


class Parameters(NamedTuple):
    schema: Schema
    """Of the arguments object; it may have references into the definitions of its `Types`."""
    parameters: List[Parameter]
    extra: Optional[Reader]
    """Reads an argument that `**kwargs` takes; None if there is no such parameter."""


def read_parameters(
    tool: str, signature: inspect.Signature, hints: Mapping[str, Any], words: Mapping[str, str], context: type
) -> Parameters:
    """:param words: the descriptions of the docstring
    :raises TypeError: a parameter has a type that JSON cannot give a value to
    """
    types = Types("arguments")
    properties: Dict[str, Schema] = {}
    required: List[str] = []
    parameters: List[Parameter] = []
    extra: Optional[Reader] = None
    extra_schema: Union[bool, Schema] = False
    for each in signature.parameters.values():
        hint = hints.get(each.name, Any)
        is_positional = each.kind is each.POSITIONAL_ONLY
        if _is_context(hint, context):
            parameters.append(Parameter(each.name, is_positional=is_positional, is_context=True))
            continue
        _check(tool, each, is_first=not parameters, is_annotated=each.name in hints)
        field = read_field_default(hint, each.default)
        try:
            codec = types.parameter(hint if field is None else field.hint, each.default)
        except Unsupported as error:
            raise TypeError(f"the parameter \"{each.name}\" of the tool \"{tool}\" {error}") from None
        if each.kind is each.VAR_KEYWORD:
            extra, extra_schema = codec.read or _as_it_is, codec.schema or True
            continue
        is_required = each.default is each.empty if field is None else field.make_default is None
        schema = dict(codec.schema)
        if words.get(each.name) and "description" not in schema:
            schema["description"] = words[each.name]
        make_default = _constant(each.default) if field is None else field.make_default
        if is_required:
            required.append(each.name)
        elif make_default is not None and is_stable(getattr(each.default, "default_factory", None)):
            describe_default(schema, make_default)
        properties[each.name] = schema
        # The function has its default itself, unless it is pydantic's.
        fills = not is_required and (is_positional or field is not None)
        parameters.append(
            Parameter(each.name, codec.read, make_default if fills else None, is_required, is_positional)
        )
    root: Schema = {"type": "object", "properties": properties}
    if required:
        root["required"] = required
    root["additionalProperties"] = extra_schema
    return Parameters(types.finish(root), parameters, extra)


def _check(tool: str, parameter: inspect.Parameter, *, is_first: bool, is_annotated: bool) -> None:
    if parameter.kind is parameter.VAR_POSITIONAL:
        raise TypeError(f"the tool \"{tool}\" has *{parameter.name}, which a model cannot name; use a list instead")
    if is_first and not is_annotated and parameter.name in ("self", "cls"):
        raise TypeError(f"the tool \"{tool}\" is a method of a class: use the method of an object, such as thing.{tool}")


def _is_context(hint: Any, context: type) -> bool:
    """Whether it is the context, or the context or None, with or without `Annotated`."""
    if hasattr(hint, "__metadata__"):
        return _is_context(inner_of(hint), context)
    if get_origin(hint) in UNIONS:
        return any(_is_context(each, context) for each in get_args(hint))
    return hint is context


def _constant(value: Any) -> Callable[[], Any]:
    return lambda: value


def _as_it_is(value: Any) -> Any:
    return value
