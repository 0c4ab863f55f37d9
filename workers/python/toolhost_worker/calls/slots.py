"""How many calls run at once in this process."""

from __future__ import annotations

import threading
from typing import Callable


class Slots:
    """:param on_free: called when a call has ended"""

    def __init__(self, total: int, on_free: Callable[[], None]) -> None:
        self.total = total
        self._on_free = on_free
        self._lock = threading.Lock()
        self._taken = 0

    @property
    def room(self) -> int:
        return max(0, self.total - self._taken)

    def take(self) -> None:
        with self._lock:
            self._taken += 1

    def free(self) -> None:
        with self._lock:
            self._taken -= 1
        self._on_free()
