"""Types of pydantic, version 2 or 1, where it is installed. It makes their schemas, and checks their values."""

from __future__ import annotations

import copy
import importlib
import json
import sys
from typing import Annotated, Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from .codec import Codec, Schema, Unsupported
from .inline import inline, map_schemas
from .invalid import Invalid, invalid
from .scalars import Mode


def is_pydantic(kind: Any) -> bool:
    """Whether it is a model, a dataclass of pydantic, or a type that brings its own schema for pydantic."""
    # A program that has a type of pydantic has imported it.
    if "pydantic" not in sys.modules or not isinstance(kind, type):
        return False
    names = ("__get_pydantic_core_schema__", "__pydantic_core_schema__", "__pydantic_model__", "__fields__")
    return any(hasattr(kind, name) for name in names) or hasattr(kind, "__get_validators__")


def has_pydantic_metadata(metadata: Any) -> bool:
    module = type(metadata).__module__.partition(".")[0]
    return module in ("pydantic", "annotated_types") and "pydantic" in sys.modules


class FieldDefault(NamedTuple):
    """A default that is a Field of pydantic: `limit: int = Field(10, ge=1)`."""

    hint: Any
    make_default: Optional[Callable[[], Any]]
    """None: an argument is required."""


def read_field_default(hint: Any, default: Any) -> Optional[FieldDefault]:
    """:returns: None for any other default, and for a parameter without one"""
    if type(default).__name__ != "FieldInfo" or not has_pydantic_metadata(default):
        return None
    if hasattr(default, "is_required"):
        make = None if default.is_required() else lambda: default.get_default(call_default_factory=True)
        return FieldDefault(Annotated[hint, default], make)
    # Version 1 takes no default in Annotated.
    undefined = importlib.import_module("pydantic.fields").Undefined
    rules, value, factory = copy.copy(default), default.default, default.default_factory
    rules.default, rules.default_factory = undefined, None
    is_required = factory is None and (value is undefined or value is ...)
    return FieldDefault(Annotated[hint, rules], None if is_required else factory or (lambda: value))


def pydantic_codec(hint: Any, mode: Mode, definitions: Dict[str, Schema]) -> Codec:
    """:raises Unsupported: pydantic cannot make a schema of it"""
    pydantic: Any = importlib.import_module("pydantic")
    if not hasattr(pydantic, "TypeAdapter"):
        return _old_codec(hint, mode, definitions)
    try:
        adapter = pydantic.TypeAdapter(hint)
        schema = adapter.json_schema(
            ref_template="#/$defs/{model}",
            mode="serialization" if mode == "result" else "validation",
            schema_generator=_generator(),
        )
    except (pydantic.errors.PydanticSchemaGenerationError, pydantic.errors.PydanticInvalidForJsonSchema):
        raise Unsupported(f"has the type {getattr(hint, '__name__', hint)}, which JSON cannot hold") from None

    def read(value: Any) -> Any:
        try:
            # The JSON way of pydantic takes a string for a date, also where a model is strict.
            return adapter.validate_json(json.dumps(value))
        except pydantic.ValidationError as error:
            raise _to_invalid(error.errors(include_url=False, include_input=False, include_context=False)) from None

    return Codec(_own(schema, definitions), read)


def _generator() -> type:
    """A title that repeats the name of its property tells a model nothing."""
    base: Any = importlib.import_module("pydantic.json_schema").GenerateJsonSchema
    return type("WithoutTitles", (base,), {"field_title_should_be_set": lambda self, schema: False})


def _old_codec(hint: Any, mode: Mode, definitions: Dict[str, Schema]) -> Codec:
    if mode == "result":
        # Version 1 does not say which members may be null.
        return Codec({})
    pydantic: Any = importlib.import_module("pydantic")
    # It keeps what it returns.
    schema = copy.deepcopy(pydantic.schema_of(hint, title="", ref_template="#/$defs/{model}"))
    schema["$defs"] = schema.pop("definitions", {})

    def read(value: Any) -> Any:
        try:
            return pydantic.parse_obj_as(hint, value)
        except pydantic.ValidationError as error:
            raise _to_invalid(error.errors()) from None

    return Codec(_own(schema, definitions), read)


def _own(schema: Schema, definitions: Dict[str, Schema]) -> Schema:
    """The schema with its recursive definitions under names that no other type has."""
    inlined = inline({key: value for key, value in schema.items() if key != "$defs"}, schema.get("$defs", {}))
    kept: Dict[str, Schema] = inlined.pop("$defs", {})
    names: Dict[str, str] = {}
    for name in kept:
        own, count = name, 1
        while own in definitions:
            count += 1
            own = f"{name}{count}"
        names[f"#/$defs/{name}"] = f"#/$defs/{own}"
        definitions[own] = {}

    def rename(each: Schema) -> Schema:
        # Its mapping names definitions that are inlined.
        each.pop("discriminator", None)
        if each.get("$ref") in names:
            each["$ref"] = names[each["$ref"]]
        if each.get("title") == "":
            del each["title"]
        return each

    for name, body in kept.items():
        definitions[names[f"#/$defs/{name}"].rpartition("/")[2]] = map_schemas(body, rename)
    return map_schemas(inlined, rename)


def _to_invalid(errors: List[Any]) -> Invalid:
    """The messages of pydantic's own checks describe the rule; those of validators may quote the value."""
    issues: List[Tuple[str, str]] = []
    for each in errors[:20]:
        is_own = str(each["type"]) not in ("value_error", "assertion_error") and "ctx" not in each
        place = [name for name in each["loc"] if name != "__root__"]
        issues += invalid(str(each["msg"]) if is_own else "is not valid").below(*place).issues
    return Invalid(issues)
