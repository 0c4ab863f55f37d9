"""`Annotated`: a type with a description, or with keywords of JSON Schema."""

from __future__ import annotations

from typing import Any, Callable, Dict, get_args

from .codec import Codec, Schema
from .pydantic_types import has_pydantic_metadata, pydantic_codec
from .scalars import Mode


def annotated_codec(
    hint: Any, mode: Mode, find: Callable[[Any], Codec], definitions: Dict[str, Schema]
) -> Codec:
    """A string is the description, a dict holds keywords such as `minimum`, and pydantic's Field is pydantic's."""
    inner, *metadata = get_args(hint)
    if any(has_pydantic_metadata(each) for each in metadata):
        codec = pydantic_codec(hint, mode, definitions)
    else:
        codec = find(inner)
    schema = dict(codec.schema)
    for each in metadata:
        if isinstance(each, str):
            schema["description"] = each
        elif isinstance(each, dict):
            schema.update(each)
        # typing_extensions.Doc
        elif isinstance(getattr(each, "documentation", None), str):
            schema["description"] = each.documentation
    return Codec(schema, codec.read)
