"""How a call ended, as the member of its answer."""

from __future__ import annotations

import logging
from typing import Any, Dict

from ..errors import ToolError
from ..values.invalid import InvalidArguments
from ..values.writing import NotJson, write_json

_log = logging.getLogger("toolhost_worker")


def result_member(tool: str, call_id: str, result: Any) -> str:
    """:returns: such as `"result":17`"""
    try:
        return f'"result":{write_json(result)}'
    except NotJson as error:
        _log.error("the result of the tool \"%s\" (call %s) is not JSON: %s", tool, call_id, error)
        message = f"The tool returned a result that is not JSON: {error}. The caller cannot change this."
        return _member({"message": message, "details": {"code": "invalid_result"}})


def error_member(tool: str, call_id: str, error: BaseException) -> str:
    """:param error: that ended the call; what a model need not know is only in the log of the worker"""
    if isinstance(error, InvalidArguments):
        return _invalid_arguments(error)
    if isinstance(error, ToolError):
        try:
            return _tool_error(error)
        except Exception as fault:  # Of a subclass that has its own way to make its text.
            _log.error("the ToolError of the tool \"%s\" (call %s) has no message", tool, call_id, exc_info=fault)
    _log.error("the tool \"%s\" failed (call %s)", tool, call_id, exc_info=error)
    return _member({"message": "The tool failed. Its own error is in the log of the worker.", "retryable": False})


def _invalid_arguments(error: InvalidArguments) -> str:
    issues = error.issues
    words = "; ".join(f"{path or 'the arguments'}: {message}" for path, message in issues)
    details = {
        "code": "invalid_arguments",
        "ran": "no",
        "issues": [{"path": path, "message": message} for path, message in issues],
    }
    return _member({"message": f"The arguments are not valid. {words}.", "retryable": False, "details": details})


def _tool_error(error: ToolError) -> str:
    # A subclass may not have called __init__.
    message = getattr(error, "message", None)
    text = str(error) if message is None else str(message)
    body: Dict[str, Any] = {"message": text or "The tool failed.", "retryable": getattr(error, "retryable", False) is True}
    details = getattr(error, "details", None)
    if details is None:
        return _member(body)
    try:
        return _member({**body, "details": details})
    except NotJson as reason:
        _log.error("the details of a ToolError are not JSON: %s", reason)
        return _member(body)


def _member(error: Dict[str, Any]) -> str:
    return f'"error":{write_json(error)}'
