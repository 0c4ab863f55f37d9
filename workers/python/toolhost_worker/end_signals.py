"""The signals that end a program, for the main thread that waits for them."""

from __future__ import annotations

import os
import signal
import socket
from types import FrameType, TracebackType
from typing import Optional, Set, Type

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
# No signal has this number.
_WOKEN = 0


class EndSignals:
    """SIGTERM and SIGINT, between the beginning and the end of a `with` block of the main thread.

    A handler in Python runs in the main thread, but the signal need not wake that thread from a lock or a queue: another
    thread may get it, or it comes just before the wait. What arrives at a socket always ends the wait.
    """

    def __enter__(self) -> EndSignals:
        self._reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        self._wakeup = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        self._handlers = {number: signal.signal(number, _ignore) for number in _SIGNALS}
        _entered.add(self)
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        _entered.discard(self)
        self.restore()
        self._reader.close()
        self._writer.close()

    def wait(self) -> Optional[signal.Signals]:
        """:returns: the next signal; None after `wake`"""
        while True:
            received = self._reader.recv(1)[0]
            if received == _WOKEN:
                return None
            # Other signals that the program handles come too.
            if received in _SIGNALS:
                return signal.Signals(received)

    def wake(self) -> None:
        """Ends the wait, from any thread."""
        try:
            self._writer.send(bytes([_WOKEN]))
        except OSError:
            pass  # The main thread waits no more.


    def restore(self) -> None:
        """The signals do again what they did before."""
        for number, handler in self._handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        signal.set_wakeup_fd(self._wakeup)


_entered: Set[EndSignals] = set()


def _restore_in_child() -> None:
    """A process that a tool forks has the same socket: a signal to it must end that process, and not the worker."""
    for each in _entered:
        each.restore()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_restore_in_child)


def _ignore(_number: int, _frame: Optional[FrameType]) -> None:
    """Without a handler, a signal would not reach the socket."""
