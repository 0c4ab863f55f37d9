"""A service that gives a worker no more calls may still wait for the answers of those that have just ended."""

import threading
from typing import Any, Optional, Tuple

from toolhost_worker import Context

from .test_worker import WorkerTest


class Answers(WorkerTest):
    def test_that_were_not_sent_when_the_worker_must_register_again_are_sent(self) -> None:
        may_answer = threading.Event()
        has_ended = threading.Event()

        is_held = threading.Event()

        def work(context: Context) -> str:
            context.log("info", "It keeps the connection busy.")
            is_held.wait(10)
            has_ended.set()
            return "done"

        def answer(_method: str, path: str) -> Optional[Tuple[int, Any]]:
            if path == "/workers/w1/calls":
                is_held.set()
                may_answer.wait(10)
            return None

        self.service.answer = answer
        worker = self.start(work)
        call_id = self.service.call("work", {})
        self.assertTrue(has_ended.wait(10))
        # The function has returned, and its answer waits behind the log entry.
        self.wait_for(lambda: all(each.calls.running == 0 for each in [worker._current] if each is not None))
        self.service.dismiss_workers()
        self.service.wait_registered(2)
        may_answer.set()
        entries = [self.service.next_entry() for _ in range(2)]
        self.assertEqual([each["callId"] for each in entries], [call_id, call_id])
        self.assertEqual(entries[1]["result"], "done")

    def test_calls_that_run_when_the_worker_must_register_again_hear_of_their_cancellation(self) -> None:
        is_running = threading.Event()
        was_cancelled = threading.Event()

        def work(context: Context) -> None:
            is_running.set()
            if context.wait_cancelled(50):
                was_cancelled.set()

        self.start(work)
        call_id = self.service.call("work", {}, timeoutMs=60_000)
        self.assertTrue(is_running.wait(10))
        self.service.dismiss_workers()
        self.service.wait_registered(2)
        self.service.wait_polls(lambda poll: poll[0] == "w1" and poll[2] == 0)
        self.service.cancel(call_id)
        self.assertTrue(was_cancelled.wait(10))

    def wait_for(self, found: Any) -> None:
        for _ in range(1000):
            if found():
                return
            threading.Event().wait(0.01)
        self.fail("it did not come")
