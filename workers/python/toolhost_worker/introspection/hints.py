"""The annotations of functions and classes, as types."""

from __future__ import annotations

import ast
import sys
import types
import typing
from typing import Any, Dict

# What `X | None` in a string becomes where Python (3.9) does not have it.
_UNION = "__toolhost_union__"


def read_hints(annotated: Any) -> Dict[str, Any]:
    """:param annotated: a function or a class
    :raises TypeError: an annotation cannot be read
    """
    try:
        return typing.get_type_hints(annotated, include_extras=True)
    except TypeError:
        if sys.version_info >= (3, 10):
            raise
        return _read_old_hints(annotated)
    except NameError as error:
        name = getattr(annotated, "__qualname__", repr(annotated))
        raise TypeError(f"an annotation of \"{name}\" cannot be read: {error}. The annotation must be defined in the module of the function") from None


def _read_old_hints(annotated: Any) -> Dict[str, Any]:
    hints: Dict[str, Any] = {}
    bases = [annotated] if not isinstance(annotated, type) else reversed(annotated.__mro__)
    for base in bases:
        own = base.__dict__.get("__annotations__", {}) if isinstance(base, type) else base.__annotations__
        names = vars(sys.modules[base.__module__]) if isinstance(base, type) else base.__globals__
        rewritten = {key: _rewrite(value) for key, value in own.items()}
        holder = types.SimpleNamespace(__annotations__=rewritten)
        extended = {**names, _UNION: typing.Union}
        hints.update(typing.get_type_hints(holder, extended, extended, include_extras=True))
    return hints


def _rewrite(annotation: Any) -> Any:
    text = annotation.__forward_arg__ if isinstance(annotation, typing.ForwardRef) else annotation
    if not isinstance(text, str):
        return annotation
    return ast.unparse(_Unions().visit(ast.parse(text, mode="eval")))


class _Unions(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.BitOr):
            return node
        members = ast.Tuple(elts=[node.left, node.right], ctx=ast.Load())
        return ast.Subscript(value=ast.Name(id=_UNION, ctx=ast.Load()), slice=members, ctx=ast.Load())
