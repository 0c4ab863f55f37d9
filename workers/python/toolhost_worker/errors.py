"""The errors that a tool raises, and those of the worker itself."""

from __future__ import annotations

from typing import Any


class ToolError(Exception):
    """Raised by a tool: the model reads the message. The message of any other exception stays in the worker's log.

    :param message: what is wrong, and what the model can do about it
    :param retryable: whether the same call may succeed if it is sent again
    :param details: JSON that the caller gets beside the message
    """

    def __init__(self, message: str, *, retryable: bool = False, details: Any = None) -> None:
        super().__init__(message)
        self.message = message
        self.retryable = retryable
        self.details = details


class Unreachable(Exception):
    """The service did not answer, or cannot answer now: the same request may be sent again."""

    def __init__(self, message: str, asked: float = 0.0) -> None:
        super().__init__(message)
        self.asked = asked
        """The pause that the service asked for, in seconds; 0 if it did not."""


class Refused(Exception):
    """The service refused a request: the same request would be refused again."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class SettingsError(Exception):
    """A setting of the worker is missing or wrong. The message has no secret."""
