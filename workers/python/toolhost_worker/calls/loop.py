"""The event loop that runs calls of `async def` functions."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Callable, Coroutine, Optional


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
        """
        loop = self._start()

        def create() -> None:
            task = loop.create_task(coroutine)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            on_task(lambda: _cancel(loop, task))

        loop.call_soon_threadsafe(create)

    def _start(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="toolhost-loop", daemon=True).start()
            return self._loop


def _cancel(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
    loop.call_soon_threadsafe(task.cancel)
