"""One registration at the service: a worker id, with the calls that came for it."""

from __future__ import annotations

import logging
import threading
from typing import Any, Callable, Dict, List
from urllib.parse import quote

from .calls.calls import Calls, Runners
from .errors import Refused, Unreachable
from .service.answers import Answers, AnswersOptions
from .service.connection import Connection
from .service.poller import Poller, PollerOptions

_log = logging.getLogger("toolhost_worker")

LONGEST_HELD = 20.0
# Seconds. How long it waits for calls that are on their way, and for the service's answer.
LEAVE_SECONDS = 2.0


class Registration:
    """:param on_lost: called when the service gives it no more calls, so that another registration must follow"""

    def __init__(
        self, connection: Connection, runners: Runners, answer: Dict[str, Any], on_lost: Callable[[], None]
    ) -> None:
        self.path = "/" + quote(str(answer.get("workerId")), safe="")
        lease_ms = answer.get("leaseMs")
        lease = lease_ms / 1000 if isinstance(lease_ms, (int, float)) and lease_ms > 0 else 30.0
        self.is_alive = False
        """Whether the service has answered a poll."""
        self._connection = connection
        self._slots = runners.slots
        self._on_lost = on_lost
        self._is_lost = False
        self._answers = Answers(
            AnswersOptions(connection, self.path, on_unknown=self._abandon, on_refused=_log_refused_answer)
        )
        self.calls = Calls(runners, self._answers)
        self._poller = Poller(
            PollerOptions(
                ask=self._ask,
                room=lambda: self._slots.room,
                # A request well before the end of the lease renews it.
                held=min(LONGEST_HELD, lease / 3),
                on_refused=self._report_lost,
                on_gone=self._abandon,
                on_unreachable=_log_unreachable,
            )
        )
        self.wake = self._poller.wake

    def start(self) -> None:
        self._answers.start()
        self._poller.start()

    def leave(self) -> None:
        """Takes no more calls, and leaves the service. Its running calls go on, and are answered."""
        if self._is_lost:
            return
        self._poller.close(LEAVE_SECONDS)
        self._is_lost = True
        # A service that does not answer must not hold the end.
        leaving = threading.Thread(target=self._delete, name="toolhost-leave", daemon=True)
        leaving.start()
        leaving.join(LEAVE_SECONDS)

    def end(self, seconds: float) -> None:
        """Waits until what its calls had for the service is sent, or the time is over, and asks no more."""
        self._answers.wait_sent(seconds)
        self._poller.stop()
        self._answers.drop()

    def _delete(self) -> None:
        try:
            self._connection.delete(self.path)
        except (Unreachable, Refused):
            pass  # The service drops it by its lease.

    def _ask(self, most: int, held: float) -> None:
        polled = self._connection.post(f"{self.path}/poll?waitMs={int(held * 1000)}&max={most}", None, held)
        self.is_alive = True
        for call_id in _items(polled, "cancelled"):
            if isinstance(call_id, str):
                self.calls.cancel(call_id)
        for handed in _items(polled, "calls"):
            self.calls.start(handed)

    def _abandon(self) -> None:
        """The service waits for no answer: there is no call that has none, or it does not know the worker."""
        self._poller.stop()
        self._answers.drop()
        if self.calls.running > 0:
            _log.warning("the service does not know the worker any more: %d calls end", self.calls.running)
        self.calls.cancel_all()
        self._report_lost()

    def _report_lost(self) -> None:
        if not self._is_lost:
            self._is_lost = True
            self._on_lost()


def register(
    connection: Connection, runners: Runners, name: str, body: bytes, on_lost: Callable[[], None]
) -> Registration:
    """:raises Unreachable: and Refused, as the connection"""
    answer = connection.post("", body)
    _log_tools(name, _items(answer, "tools"))
    return Registration(connection, runners, answer, on_lost)


def _items(answer: Dict[str, Any], key: str) -> List[Any]:
    items = answer.get(key)
    return items if isinstance(items, list) else []


def _log_tools(name: str, tools: List[Any]) -> None:
    accepted = 0
    for tool in tools:
        if not isinstance(tool, dict):
            continue
        if tool.get("state") == "refused":
            _log.error("the service refused the tool \"%s\": %s", tool.get("name"), tool.get("reason"))
            continue
        accepted += 1
        if "reason" in tool:
            _log.warning("the service has a remark on the tool \"%s\": %s", tool.get("name"), tool["reason"])
    _log.info("registered as %s with %d tools", name, accepted)


def _log_refused_answer(call_id: str, reason: str) -> None:
    _log.warning("the service refused the answer of call %s: %s", call_id, reason)


def _log_unreachable(reason: str) -> None:
    _log.warning("%s; the worker tries again", reason)
