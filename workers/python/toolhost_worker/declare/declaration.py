"""The declaration of a function: what a model reads, and how a call's arguments reach the function."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple

from ..introspection.docstring import read_docstring
from ..introspection.hints import read_hints
from ..values.codec import Reader, Schema, Unsupported
from ..values.invalid import Invalid, InvalidArguments, invalid
from ..values.types import Types
from .parameters import Parameter, read_parameters


@dataclass(frozen=True)
class Declaration:
    description: str
    parameters: Schema
    response: Optional[Schema]
    """None: any JSON value."""
    _parameters: List[Parameter]
    _extra: Optional[Reader]

    def bind(self, arguments: Any, context: Any) -> Tuple[List[Any], Dict[str, Any]]:
        """:raises InvalidArguments: they are not values of the declared types"""
        if not isinstance(arguments, dict):
            raise InvalidArguments([("", "must be an object")])
        args: List[Any] = []
        kwargs: Dict[str, Any] = {}
        issues: List[Tuple[str, str]] = []
        taken = 0
        for each in self._parameters:
            if each.is_context:
                value = context
            elif each.name in arguments:
                taken += 1
                value = arguments[each.name]
                if each.read is not None:
                    try:
                        value = each.read(value)
                    except Invalid as error:
                        issues += error.below(each.name).issues
                        continue
            elif each.is_required:
                issues += invalid("is required").below(each.name).issues
                continue
            elif each.make_default is not None:
                value = each.make_default()
            else:
                continue
            if each.is_positional:
                args.append(value)
            else:
                kwargs[each.name] = value
        if taken < len(arguments):
            issues += self._bind_extra(arguments, kwargs)
        if issues:
            raise InvalidArguments(issues)
        return args, kwargs

    def _bind_extra(self, arguments: Dict[str, Any], kwargs: Dict[str, Any]) -> List[Tuple[str, str]]:
        known = {each.name for each in self._parameters if not each.is_context}
        # `**kwargs` must not replace the context.
        reserved = {each.name for each in self._parameters if each.is_context}
        issues: List[Tuple[str, str]] = []
        for name in arguments.keys() - known:
            if self._extra is None or name in reserved:
                issues += invalid("is not an argument of the tool").below(name).issues
                continue
            try:
                kwargs[name] = self._extra(arguments[name])
            except Invalid as error:
                issues += error.below(name).issues
        return issues


def declare(function: Callable[..., Any], name: str, context: type) -> Declaration:
    """:param context: the annotation of parameters that get the context of the call
    :raises TypeError: the function has a parameter that JSON cannot give a value to
    """
    annotated = function if inspect.isroutine(function) or inspect.isclass(function) else _inner(function)
    documented = read_docstring(annotated)
    signature = inspect.signature(function)
    hints = read_hints(annotated)
    if inspect.isgeneratorfunction(annotated) or inspect.isasyncgenfunction(annotated):
        raise TypeError(f"the tool \"{name}\" is a generator, and must return a list instead")
    schema, parameters, extra = read_parameters(name, signature, hints, documented.arguments, context)
    description = documented.description or name.replace("_", " ")
    return Declaration(description, schema, _read_response(hints), parameters, extra)


def _inner(function: Any) -> Any:
    """What of a functools.partial, or an object with `__call__`, has annotations."""
    return getattr(function, "func", None) or type(function).__call__


def _read_response(hints: Dict[str, Any]) -> Optional[Schema]:
    if "return" not in hints:
        return None
    types = Types("result")
    try:
        codec = types.codec(hints["return"])
    except Unsupported:
        # The value decides, when it is there.
        return None
    return types.finish(codec.schema) or None
