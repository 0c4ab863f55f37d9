"""A call that ends while the poller finds that there is no room."""

import queue
import threading
import unittest
from typing import List
from unittest import mock

from toolhost_worker.service.poller import Poller, PollerOptions


class Room(unittest.TestCase):
    def test_that_comes_just_when_it_was_looked_for_is_used(self) -> None:
        """The end of a call that nobody hears of would leave the worker idle until the end of the poll."""
        looked = 0
        is_free = False
        asked: List[int] = []
        has_asked = threading.Event()
        may_end = threading.Event()

        def end_of_call() -> None:
            nonlocal is_free
            is_free = True
            poller.wake()

        def room() -> int:
            nonlocal looked
            looked += 1
            found = 1 if is_free else 0
            if looked == 2:
                # The last look before the request: the call ends behind it.
                ending = threading.Thread(target=end_of_call, daemon=True)
                ending.start()
                ending.join(0.2)
            return found

        def ask(most: int, _held: float) -> None:
            asked.append(most)
            if most > 0:
                has_asked.set()
            may_end.wait(20)

        poller = Poller(PollerOptions(ask, room, 10.0, lambda: None, lambda: None, lambda _reason: None))
        poller.start()
        try:
            self.assertTrue(has_asked.wait(5), asked)
        finally:
            may_end.set()
            poller.stop()

    def test_is_used_later_if_the_system_has_no_more_threads(self) -> None:
        room = 0
        asked: "queue.Queue[int]" = queue.Queue()
        may_end = threading.Event()
        self.addCleanup(may_end.set)

        def ask(most: int, _held: float) -> None:
            asked.put(most)
            may_end.wait(20)

        poller = Poller(PollerOptions(ask, lambda: room, 10.0, lambda: None, lambda: None, lambda _reason: None))
        poller.start()
        self.addCleanup(poller.stop)
        self.assertEqual(asked.get(timeout=10), 0)
        room = 1
        with mock.patch.object(threading.Thread, "start", side_effect=RuntimeError("can't start new thread")):
            poller.wake()
        poller.wake()
        self.assertEqual(asked.get(timeout=10), 1)


if __name__ == "__main__":
    unittest.main()
