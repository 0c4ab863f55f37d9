"""Threads that run calls of plain functions."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import Callable

Job = Callable[[], None]


class Threads:
    """Starts a thread if a job comes while all others run one. The threads do not keep the process alive.

    No job waits: the service hands out no more calls than there are slots.
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._lock = threading.Lock()
        self._free = 0

    def run(self, job: Job) -> None:
        with self._lock:
            self._free -= 1
            is_new = self._free < 0
            if is_new:
                self._free = 0
        if is_new:
            threading.Thread(target=self._work, args=(job,), name="toolhost-call", daemon=True).start()
        else:
            self._jobs.put(job)

    def _work(self, job: Job) -> None:
        while True:
            job()
            with self._lock:
                self._free += 1
            job = self._jobs.get()
