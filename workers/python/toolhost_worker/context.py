"""What a tool knows about its call."""

from __future__ import annotations

import threading
import time
from typing import Any, Callable, Optional

from .values.writing import NotJson, write_json

Send = Callable[[str, str], None]


class Context:
    """A parameter with this annotation gets the context of the call. It is in no declaration.

    The methods may be called from any thread.
    """

    __slots__ = ("call_id", "tool", "session", "traceparent", "attempt", "deadline", "_cancelled", "_progress", "_log")

    def __init__(
        self,
        call_id: str,
        tool: str,
        *,
        timeout: float = 10.0,
        session: Optional[str] = None,
        traceparent: Optional[str] = None,
        attempt: int = 1,
        on_progress: Optional[Send] = None,
        on_log: Optional[Send] = None,
    ) -> None:
        self.call_id = call_id
        """The id of the call at the service."""
        self.tool = tool
        self.session = session
        """The conversation that the call belongs to, if the caller named one."""
        self.traceparent = traceparent
        """The W3C trace context of the call, to pass on in requests."""
        self.attempt = attempt
        """1, or more if the service runs the call again."""
        self.deadline = time.monotonic() + timeout
        """When nobody waits for the result any more, as `time.monotonic()` counts."""
        self._cancelled = threading.Event()
        self._progress = on_progress
        self._log = on_log

    @property
    def remaining(self) -> float:
        """The seconds until the deadline, at least 0: the timeout for requests that the tool makes."""
        return max(0.0, self.deadline - time.monotonic())

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the result any more: the caller left, or the time limit passed."""
        return self._cancelled.is_set() or time.monotonic() >= self.deadline

    def wait_cancelled(self, seconds: float) -> bool:
        """Sleeps, but ends early if the call is cancelled.

        :returns: whether it is cancelled
        """
        self._cancelled.wait(min(seconds, self.remaining))
        return self.cancelled

    def progress(self, progress: float, total: Optional[float] = None, message: Optional[str] = None) -> None:
        """Tells the caller how far the call is. A number that JSON does not have, such as NaN, is not reported."""
        entry: dict[str, Any] = {"progress": progress}
        if total is not None:
            entry["total"] = total
        if message is not None:
            entry["message"] = message
        if self._progress is None:
            return
        try:
            self._progress(self.call_id, write_json(entry))
        except NotJson:
            # A report must not fail the call.
            pass

    def log(self, level: str, message: str, **fields: Any) -> None:
        """Adds an entry to the log of the call. Fields that are not JSON are left out.

        :param level: debug, info, warn or error
        """
        entry: dict[str, Any] = {"level": level, "message": str(message)}
        if self._log is not None:
            self._log(self.call_id, _write_entry(entry, fields))

    def cancel(self) -> None:
        """Called when nobody waits for the result any more."""
        self._cancelled.set()


def _write_entry(entry: dict[str, Any], fields: dict[str, Any]) -> str:
    try:
        return write_json({**entry, "fields": fields} if fields else entry)
    except NotJson:
        return write_json(entry)
