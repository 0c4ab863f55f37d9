"""From annotations to codecs."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import typing
from typing import Annotated, Any, Dict, Tuple, get_args, get_origin

from .annotated import annotated_codec
from .choices import enum_codec, literal_codec
from .codec import Codec, Schema, Unsupported, read_with
from .collections import is_list, is_mapping, list_codec, long_tuple_codec, mapping_codec, tuple_codec
from .forms import UNIONS, form_of, inner_of
from .inline import inline
from .objects import dataclass_codec, is_named_tuple, is_typed_dict, named_tuple_codec, typed_dict_codec
from .pydantic_types import is_pydantic, pydantic_codec
from .scalars import Mode, find_scalar
from .unions import union_codec

_ANY = Codec({})


class Types:
    """The types of one schema, which share its definitions.

    :param mode: whether its values are arguments or a result
    """

    def __init__(self, mode: Mode) -> None:
        self._mode = mode
        self._definitions: Dict[str, Schema] = {}
        # The codecs of classes; one that is being made refers to its definition.
        self._classes: Dict[Any, Codec] = {}

    def parameter(self, hint: Any, default: Any) -> Codec:
        """The codec of a parameter, or a member, with a default.

        :raises Unsupported: JSON cannot hold its values
        """
        codec = self.codec(hint)
        # `unit: str = None`, which was the usual way for long.
        if default is None and codec.schema and not _takes_null(hint):
            description = codec.schema.get("description")
            bare = {key: value for key, value in codec.schema.items() if key != "description"}
            codec = union_codec([Codec(bare, codec.read), self.codec(None)])
            if description is not None:
                codec = Codec({**codec.schema, "description": description}, codec.read)
        return codec

    def codec(self, hint: Any) -> Codec:
        """:raises Unsupported: JSON cannot hold its values"""
        if hint in (Any, object, inspect.Parameter.empty):
            return _ANY
        if isinstance(hint, typing.ForwardRef):
            # An alias that contains itself, such as that of all JSON values: names are resolved before.
            return _ANY
        if hint is None:
            hint = type(None)
        if getattr(hint, "_name", None) == "LiteralString":
            hint = str
        origin, form = get_origin(hint), form_of(hint)
        if hasattr(hint, "__metadata__"):
            return annotated_codec(hint, self._mode, self.codec, self._definitions)
        if origin in UNIONS:
            return self._union(get_args(hint))
        if form == "Literal":
            return literal_codec(_flatten_literals(hint))
        if form in ("Final", "ClassVar", "Required", "NotRequired", "ReadOnly"):
            return self.codec(inner_of(hint))
        if isinstance(hint, typing.TypeVar):
            return self._union(hint.__constraints__) if hint.__constraints__ else self.codec(hint.__bound__ or Any)
        if hasattr(hint, "__supertype__"):
            return self.codec(hint.__supertype__)
        if hasattr(hint, "__value__") and not isinstance(hint, type):
            return self._named(hint, lambda: self.codec(hint.__value__))
        if is_pydantic(hint) or is_pydantic(origin):
            return pydantic_codec(hint, self._mode, self._definitions)
        for scalar in find_scalar(hint, self._mode):
            return scalar
        return self._collection(hint, origin or _bare(hint), get_args(hint))

    def finish(self, schema: Schema) -> Schema:
        """:returns: the schema with the definitions that it needs"""
        return inline(schema, self._definitions)

    def _collection(self, hint: Any, origin: Any, args: Tuple[Any, ...]) -> Codec:
        if is_list(origin):
            return list_codec(origin, self.codec(args[0] if args else Any))
        if is_mapping(origin):
            key, value = args if len(args) == 2 else (str, Any)
            return mapping_codec(origin, self._resolve(self.codec(key)), self.codec(value))
        if origin is tuple:
            if len(args) == 2 and args[1] is Ellipsis:
                return long_tuple_codec(self.codec(args[0]))
            return tuple_codec([self.codec(each) for each in args if each != ()]) if args else long_tuple_codec(_ANY)
        return self._class(hint, origin)

    def _class(self, hint: Any, kind: Any) -> Codec:
        is_result = self._mode == "result"
        if not isinstance(kind, type):
            pass
        elif issubclass(kind, enum.Enum):
            return enum_codec(kind)
        elif is_typed_dict(kind):
            return self._named(kind, lambda: typed_dict_codec(kind, self.parameter))
        elif dataclasses.is_dataclass(kind):
            return self._named(kind, lambda: dataclass_codec(kind, self.parameter, is_result=is_result))
        elif is_named_tuple(kind):
            return self._named(kind, lambda: named_tuple_codec(kind, self.parameter, is_result=is_result))
        raise Unsupported(f"has the type {_name(hint)}, which JSON cannot hold")

    def _resolve(self, codec: Codec) -> Codec:
        """An alias that was declared with `type` refers to its definition."""
        name = str(codec.schema.get("$ref", "")).rpartition("/")[2]
        return Codec(self._definitions[name], codec.read) if name in self._definitions else codec

    def _union(self, members: Tuple[Any, ...]) -> Codec:
        return union_codec([self.codec(each) for each in members])

    def _named(self, kind: Any, make: typing.Callable[[], Codec]) -> Codec:
        """A class that contains itself refers to its own definition."""
        known = self._classes.get(kind)
        if known is not None:
            return known
        name = base = str(getattr(kind, "__name__", "Type"))
        count = 1
        while name in self._definitions:
            count += 1
            name = f"{base}{count}"
        self._definitions[name] = {}
        made: Dict[str, Codec] = {}
        reference = {"$ref": f"#/$defs/{name}"}
        self._classes[kind] = Codec(reference, lambda value: read_with(made["codec"], value))
        codec = made["codec"] = make()
        self._definitions[name] = codec.schema
        return self._classes[kind]


def _takes_null(hint: Any) -> bool:
    bare = inner_of(hint) if hasattr(hint, "__metadata__") else hint
    return get_origin(bare) in UNIONS and type(None) in get_args(bare)


def _flatten_literals(hint: Any) -> Tuple[Any, ...]:
    found: Tuple[Any, ...] = ()
    for each in get_args(hint):
        found += _flatten_literals(each) if form_of(each) == "Literal" else (each,)
    return tuple(dict((repr(each), each) for each in found).values())


def _bare(hint: Any) -> Any:
    """`typing.List` without an item type has an origin in some versions only."""
    return getattr(hint, "__origin__", hint)


def _name(hint: Any) -> str:
    return str(getattr(hint, "__name__", hint))
