"""Asks the service for calls, without a pause, by one request that the service holds."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import Callable, Set

from ..errors import Refused, Unreachable
from .back_off import BackOff

_log = logging.getLogger("toolhost_worker")

# A call that takes less than these seconds frees its slot before the poll that asks for cancellations only.
ROOM_SECONDS = 0.01


@dataclass(frozen=True)
class PollerOptions:
    ask: Callable[[int, float], None]
    """Asks for up to so many calls and takes what comes; the service holds the answer up to so many seconds. A second
    request ends the first with an empty answer. Raises Unreachable, Refused."""
    room: Callable[[], int]
    """The number of calls that may start now."""
    held: float
    """How long the service may hold an answer, in seconds."""
    on_refused: Callable[[], None]
    """Called when the service gives no more calls. It is asked for cancellations of those that run."""
    on_gone: Callable[[], None]
    """Called when the service does not know the worker, or waits for no answer of it, and the poller has stopped."""
    on_unreachable: Callable[[str], None]
    """Called with why the service does not answer, when that begins."""


class Poller:
    """While there is no room it asks for cancellations only, which keeps the lease."""

    def __init__(self, options: PollerOptions) -> None:
        self._options = options
        self._back_off = BackOff()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._has_room = threading.Event()
        # Ends a pause: what is waited for then must be asked at once.
        self._pausing = threading.Event()
        self._loops: Set[threading.Thread] = set()
        # The number of the newest loop: the ones before end with their request.
        self._newest = 0
        # Whether the request that is held asks for cancellations only.
        self._is_full = False
        self._is_closed = False
        self._is_reached = True

    def start(self) -> None:
        with self._lock:
            self._start()

    def wake(self) -> None:
        """There is room for calls again: a request that asked for none is followed by one that does."""
        self._has_room.set()
        if not self._is_full:
            return
        with self._lock:
            if self._is_full and not self._is_closed and not self._stopped.is_set():
                try:
                    self._start()
                except RuntimeError:
                    # The system has no more threads. The loop before goes on, and the next call that ends tries again.
                    return
                self._is_full = False

    def close(self, seconds: float) -> None:
        """From now on there is no room. Returns when the calls that were on their way are here, or the time is over."""
        with self._lock:
            self._is_closed = True
            before = list(self._loops)
            # It ends the request that the service holds.
            if not self._stopped.is_set():
                self._start()
        for each in before:
            each.join(seconds)

    def stop(self) -> None:
        """Asks no more. A request that is held ends with its connection."""
        self._stopped.set()
        self._has_room.set()
        self._pausing.set()

    def _start(self) -> None:
        pausing = threading.Event()
        self._newest += 1
        loop = threading.Thread(target=self._run, args=(self._newest, pausing), name="toolhost-poll", daemon=True)
        self._loops.add(loop)
        try:
            loop.start()
        except RuntimeError:
            self._newest -= 1
            self._loops.discard(loop)
            raise
        self._pausing.set()
        self._pausing = pausing

    def _run(self, number: int, pausing: threading.Event) -> None:
        try:
            while number == self._newest and not self._stopped.is_set():
                room = self._find_room(number)
                try:
                    self._options.ask(room, self._options.held)
                    self._back_off.reset()
                    self._is_reached = True
                except Unreachable as error:
                    if self._stopped.is_set():
                        return
                    if self._is_reached:
                        self._is_reached = False
                        self._options.on_unreachable(str(error))
                    self._back_off.pause(error.asked, pausing)
                except Refused:
                    if self._stopped.is_set():
                        return
                    if room > 0:
                        self._is_closed = True
                        self._options.on_refused()
                    else:
                        self.stop()
                        self._options.on_gone()
                except Exception:
                    # A fault of this library must not end the worker.
                    _log.exception("a poll failed")
                    self._back_off.pause(0.0, pausing)
        finally:
            with self._lock:
                self._loops.discard(threading.current_thread())

    def _find_room(self, number: int) -> int:
        """:returns: how many calls to ask for; if none, `wake` starts another loop when there is room"""
        if self._is_closed:
            return 0
        self._has_room.clear()
        room = self._options.room()
        if room == 0 and self._has_room.wait(ROOM_SECONDS):
            room = self._options.room()
        if room == 0:
            with self._lock:
                # Before the last look: a call that ends behind it finds this loop, and starts another one.
                self._is_full = number == self._newest
                room = 0 if self._is_closed else self._options.room()
                if room > 0:
                    self._is_full = False
        return room
