"""The event loop that runs calls of `async def` functions."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import Any, Callable, Coroutine, Optional

_log = logging.getLogger("toolhost_worker")


class Loop:
    """One event loop in a thread of its own, which starts with the first call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        # The event loop itself has weak references only.
        self._tasks: set[asyncio.Task[None]] = set()

    def run(self, coroutine: Coroutine[Any, Any, None], on_task: Callable[[Callable[[], None]], None]) -> None:
        """
        :param coroutine: raises nothing
        :param on_task: gets a function that cancels the call, from any thread
        :raises RuntimeError: the system has no more threads
        """
        try:
            loop = self._start()
        except RuntimeError:
            coroutine.close()
            raise

        def create() -> None:
            task = loop.create_task(coroutine)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            on_task(lambda: _cancel(loop, task))

        loop.call_soon_threadsafe(create)

    def _start(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._loop.is_closed():
                loop = asyncio.new_event_loop()
                try:
                    threading.Thread(target=_run, args=(loop,), name="toolhost-loop", daemon=True).start()
                except RuntimeError:
                    loop.close()
                    raise
                # Not before: a loop without its thread would run no call.
                self._loop = loop
            return self._loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Tools can end a loop, which all calls share: by `stop`, or by `sys.exit` in a task of their own."""
    while not loop.is_closed():
        try:
            loop.run_forever()
        except BaseException as error:
            _log.error("a task of a tool stopped the event loop; the worker started the loop again", exc_info=error)


def _cancel(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
    loop.call_soon_threadsafe(task.cancel)
