"""What running calls have for the service. It goes out in order, many entries in a request."""

from __future__ import annotations

import json
import threading
from collections import deque
from dataclasses import dataclass
from typing import Callable, Deque, Dict, List

from ..errors import Refused, Unreachable
from .back_off import BackOff
from .connection import Connection

# A request of more is divided, so that it stays far below the service's limit.
MAX_CHARACTERS = 2_097_152
MAX_ENTRIES = 1000
# Log entries that wait; more are dropped.
MAX_LOGS = 1000

UNREAD = '"error":' + json.dumps(
    {
        "message": "The service could not read the result. It may be too large, nested too deeply, or contain an integer "
        "that JSON readers cannot hold exactly."
    }
)


@dataclass
class Entry:
    call_id: str
    member: str
    """The member beside `callId`, as JSON."""
    is_end: bool


@dataclass(frozen=True)
class AnswersOptions:
    connection: Connection
    path: str
    """Of the worker, behind `/workers`."""
    on_unknown: Callable[[], None]
    """Called when the service does not know the worker any more."""
    on_refused: Callable[[str, str], None]
    """Called with the id of a call whose answer the service refused, and its reason."""


class Answers:
    """A thread sends them: calls that end while a request runs share the next one."""

    def __init__(self, options: AnswersOptions) -> None:
        self._options = options
        self._waiting: Deque[Entry] = deque()
        self._logs = 0
        # The waiting entry of a call's progress.
        self._progresses: Dict[str, Entry] = {}
        self._changed = threading.Condition()
        self._is_sending = False
        self._dropped = threading.Event()
        self._back_off = BackOff()
        self._thread = threading.Thread(target=self._run, name="toolhost-answers", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self, call_id: str, member: str) -> None:
        """The last entry of a call.

        :param member: its other member as JSON, such as `"result":17`
        """
        with self._changed:
            if self._progresses:
                self._progresses.pop(call_id, None)
            self._add(Entry(call_id, member, True))

    def progress(self, call_id: str, text: str) -> None:
        """:param text: the progress as JSON; one that was not sent yet is replaced"""
        member = f'"progress":{text}'
        with self._changed:
            last = self._progresses.get(call_id)
            if last is not None:
                last.member = member
                return
            entry = Entry(call_id, member, False)
            self._progresses[call_id] = entry
            self._add(entry)

    def log(self, call_id: str, text: str) -> None:
        """:param text: the log entry as JSON"""
        with self._changed:
            if self._logs < MAX_LOGS:
                self._logs += 1
                self._add(Entry(call_id, f'"log":{text}', False))

    def wait_sent(self, seconds: float) -> None:
        """Waits until nothing is left to be sent, or the time is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._dropped.is_set() or not (self._waiting or self._is_sending), seconds)

    def drop(self) -> None:
        """Forgets what waits: nobody waits for it."""
        self._dropped.set()
        with self._changed:
            self._waiting.clear()
            self._progresses.clear()
            self._changed.notify_all()

    def _add(self, entry: Entry) -> None:
        if self._dropped.is_set():
            return
        self._waiting.append(entry)
        if not self._is_sending:
            self._is_sending = True
            self._changed.notify_all()

    def _run(self) -> None:
        while not self._dropped.is_set():
            with self._changed:
                if not self._waiting:
                    self._is_sending = False
                    self._changed.notify_all()
                    self._changed.wait_for(lambda: self._waiting or self._dropped.is_set())
                batch = self._take()
            if batch:
                self._deliver(batch)

    def _take(self) -> List[Entry]:
        batch: List[Entry] = []
        characters = 0
        while self._waiting and len(batch) < MAX_ENTRIES:
            characters += len(self._waiting[0].member)
            if batch and characters > MAX_CHARACTERS:
                break
            entry = self._waiting.popleft()
            if not entry.is_end:
                self._progresses.pop(entry.call_id, None)
            batch.append(entry)
        if not self._waiting:
            self._logs = 0
        return batch

    def _deliver(self, batch: List[Entry]) -> None:
        entries = ",".join(f'{{"callId":{json.dumps(entry.call_id)},{entry.member}}}' for entry in batch)
        body = f'{{"answers":[{entries}]}}'.encode()
        while not self._dropped.is_set():
            try:
                self._options.connection.post(f"{self._options.path}/calls", body)
                return self._back_off.reset()
            except Unreachable as error:
                self._back_off.pause(error.asked, self._dropped)
            except Refused as error:
                return self._take_refusal(batch, error)

    def _take_refusal(self, batch: List[Entry], error: Refused) -> None:
        """One answer that cannot be read must not keep back the others."""
        if error.status in (401, 403, 404):
            self.drop()
            return self._options.on_unknown()
        if len(batch) > 1:
            half = (len(batch) + 1) // 2
            self._deliver(batch[:half])
            return self._deliver(batch[half:])
        entry = batch[0]
        # 410: the call is over.
        if error.status == 410:
            return
        self._options.on_refused(entry.call_id, error.message)
        if entry.is_end and entry.member != UNREAD:
            self._deliver([Entry(entry.call_id, UNREAD, True)])
