"""Registration, polls, cancellation, restarts of the service and the end of a worker."""

import asyncio
import threading
import time
import unittest
from typing import List

from toolhost_worker import Context, Worker
from toolhost_worker.errors import Refused

from .fake_service import TOKEN, FakeService
from .test_worker import WorkerTest


def one() -> int:
    return 1


class Polls(WorkerTest):
    def test_a_full_worker_asks_for_cancellations_only_and_for_calls_when_it_has_room(self) -> None:
        may_end = threading.Event()

        def wait() -> None:
            may_end.wait(20)

        self.start(wait, concurrency=1)
        self.service.call("wait", {})
        self.service.wait_polls(lambda poll: poll[2] == 0)
        second = self.service.call("wait", {})
        may_end.set()
        self.service.next_entry()
        self.assertEqual(self.service.next_entry()["callId"], second)

    def test_ask_for_no_more_calls_than_there_is_room(self) -> None:
        self.start(one, concurrency=3)
        self.service.wait_polls(lambda poll: poll[2] == 3)

    def test_renew_the_lease_in_time(self) -> None:
        self.service.lease_ms = 3000
        self.start(one)
        self.service.wait_polls(lambda poll: poll[1] == 1000)


class Cancellation(WorkerTest):
    def test_reaches_a_plain_function_while_the_worker_is_full(self) -> None:
        seen: List[bool] = []
        is_running = threading.Event()
        has_ended = threading.Event()

        def work(context: Context) -> str:
            is_running.set()
            seen.append(context.wait_cancelled(20))
            has_ended.set()
            return "late"

        self.start(work, concurrency=1)
        call_id = self.service.call("work", {}, timeoutMs=60_000)
        is_running.wait(10)
        self.service.cancel(call_id)
        self.assertTrue(has_ended.wait(10))
        self.assertEqual(seen, [True])
        # Its answer is not sent, and its slot is free.
        next_id = self.service.call("work", {}, timeoutMs=50)
        self.assertEqual(self.service.next_entry()["callId"], next_id)

    def test_reaches_a_coroutine(self) -> None:
        is_running = threading.Event()
        was_cancelled = threading.Event()

        async def work() -> None:
            is_running.set()
            try:
                await asyncio.sleep(20)
            except asyncio.CancelledError:
                was_cancelled.set()
                raise

        self.start(work)
        call_id = self.service.call("work", {})
        is_running.wait(10)
        self.service.cancel(call_id)
        self.assertTrue(was_cancelled.wait(10))

    def test_of_a_call_that_is_not_there_changes_nothing(self) -> None:
        self.start(one)
        self.service.cancel("call-of-nobody")
        self.service.call("two", {})
        self.assertIn("error", self.service.next_entry())


class Restarts(WorkerTest):
    def test_a_worker_that_the_service_has_forgotten_registers_again(self) -> None:
        self.start(one)
        self.service.forget_workers()
        self.service.wait_registered(2)
        self.service.call("one", {})
        self.assertEqual(self.service.next_entry()["result"], 1)

    def test_calls_of_a_forgotten_worker_are_cancelled(self) -> None:
        is_running = threading.Event()
        has_ended = threading.Event()

        def work(context: Context) -> None:
            is_running.set()
            if context.wait_cancelled(20):
                has_ended.set()

        self.start(work)
        self.service.call("work", {}, timeoutMs=60_000)
        is_running.wait(10)
        self.service.forget_workers()
        self.assertTrue(has_ended.wait(10))

    def test_a_worker_outlives_the_service(self) -> None:
        self.start(one)
        port = self.service.port
        self.service.close()
        successor = FakeService(port=port)
        self.addCleanup(successor.close)
        successor.wait_registered()
        successor.call("one", {})
        self.assertEqual(successor.next_entry()["result"], 1)

    def test_a_service_that_is_not_there_yet_is_asked_again(self) -> None:
        asked: List[str] = []

        def answer(method: str, path: str) -> object:
            asked.append(path)
            return (503, {"error": {"message": "Not yet."}}) if len(asked) < 3 else None

        self.service.answer = answer  # type: ignore[assignment]
        self.start(one)
        self.assertGreaterEqual(len(asked), 3)


class End(WorkerTest):
    def test_running_calls_are_answered_after_the_worker_has_left(self) -> None:
        is_running = threading.Event()
        may_end = threading.Event()

        def work() -> str:
            is_running.set()
            may_end.wait(20)
            return "done"

        worker = self.start(work)
        self.service.call("work", {})
        is_running.wait(10)
        stopping = threading.Thread(target=worker.stop)
        stopping.start()
        self.service.wait_polls(lambda poll: poll[2] == 0)
        while not self.service.left:
            time.sleep(0.01)
        self.assertTrue(stopping.is_alive())
        may_end.set()
        self.assertEqual(self.service.next_entry()["result"], "done")
        stopping.join(10)
        self.assertFalse(stopping.is_alive())
        self.assertEqual(self.service.left, ["w1"])

    def test_a_call_whose_time_is_over_does_not_hold_the_end(self) -> None:
        is_running = threading.Event()

        def work() -> None:
            is_running.set()
            time.sleep(60)

        worker = self.start(work)
        self.service.call("work", {}, timeoutMs=100)
        is_running.wait(10)
        stopping = threading.Thread(target=worker.stop, daemon=True)
        stopping.start()
        stopping.join(30)
        self.assertFalse(stopping.is_alive())

    def test_a_service_that_does_not_answer_does_not_hold_the_end(self) -> None:
        may_answer = threading.Event()
        self.addCleanup(may_answer.set)
        worker = self.start(one)

        def answer(method: str, path: str) -> None:
            may_answer.wait(60)

        self.service.answer = answer
        stopping = threading.Thread(target=worker.stop, daemon=True)
        stopping.start()
        stopping.join(30)
        self.assertFalse(stopping.is_alive())

    def test_before_the_service_was_there(self) -> None:
        worker = Worker([], name="a", url="http://127.0.0.1:1", token=TOKEN)
        worker.start()
        worker.stop()
        self.assertTrue(worker.wait(0))


class Refusals(WorkerTest):
    def test_a_wrong_token_ends_the_worker(self) -> None:
        worker = Worker([], name="a", url=self.service.url, token="wrong-token")
        worker.start()
        with self.assertRaises(Refused) as caught:
            worker.wait(20)
        self.assertEqual(caught.exception.status, 401)
        self.assertNotIn("wrong-token", str(caught.exception))

    def test_an_answer_that_the_service_cannot_read_does_not_keep_back_others(self) -> None:
        bad: List[str] = []

        def big() -> int:
            return 2**70

        take = self.service._take

        def strict_take(answers: List[dict]) -> object:
            if any(each.get("result") == 2**70 for each in answers):
                bad.extend(each["callId"] for each in answers)
                return 400, {"error": {"code": "bad_request", "message": "An integer cannot be held exactly."}}
            return take(answers)

        self.service._take = strict_take  # type: ignore[assignment,method-assign]
        self.start(big, one)
        big_id, one_id = self.service.call("big", {}), self.service.call("one", {})
        entries = {each["callId"]: each for each in (self.service.next_entry(), self.service.next_entry())}
        self.assertEqual(entries[one_id]["result"], 1)
        self.assertIn("could not read", entries[big_id]["error"]["message"])

    def test_a_service_below_a_path(self) -> None:
        service = FakeService(base="/tools/api")
        self.addCleanup(service.close)
        worker = Worker([one], name="a", url=service.url + "/", token=TOKEN)
        worker.start()
        self.addCleanup(worker.stop)
        service.wait_registered()


if __name__ == "__main__":
    unittest.main()
