"""A worker and a service that is as strict as the protocol."""

import asyncio
import concurrent.futures
import functools
import logging
import sys
import threading
import unittest
from typing import Any, Callable, List, Union
from unittest import mock

from toolhost_worker import Context, Tool, ToolError, Worker
from toolhost_worker.errors import SettingsError

from .fake_service import TOKEN, FakeService


class WorkerTest(unittest.TestCase):
    def setUp(self) -> None:
        logging.disable(logging.CRITICAL)
        self.addCleanup(logging.disable, logging.NOTSET)
        self.service = FakeService()
        self.addCleanup(lambda: self.assertEqual(self.service.faults, []))
        self.addCleanup(self.service.close)

    def start(self, *tools: Union[Tool, Callable[..., Any]], concurrency: int = 4) -> Worker:
        worker = Worker(tools, name="tests", url=self.service.url, token=TOKEN, concurrency=concurrency)
        worker.start()
        self.addCleanup(worker.stop)
        self.service.wait_registered()
        return worker


class Calls(WorkerTest):
    def test_run_and_are_answered(self) -> None:
        def add(a: int, b: int = 2) -> int:
            return a + b

        self.start(add)
        self.assertEqual(self.service.registrations[0]["name"], "tests")
        self.assertEqual(self.service.registrations[0]["concurrency"], 4)
        call_id = self.service.call("add", {"a": 1})
        self.assertEqual(self.service.next_entry(), {"callId": call_id, "result": 3})

    def test_of_async_functions_run_at_the_same_time(self) -> None:
        arrived: List[asyncio.Event] = []

        async def meet() -> str:
            arrived.append(asyncio.Event())
            if len(arrived) == 2:
                for each in arrived:
                    each.set()
            await arrived[0].wait()
            return "met"

        self.start(meet)
        ids = {self.service.call("meet", {}) for _ in range(2)}
        entries = [self.service.next_entry() for _ in range(2)]
        self.assertEqual({each["callId"] for each in entries}, ids)
        self.assertEqual([each["result"] for each in entries], ["met", "met"])

    def test_of_async_functions_run_after_one_has_ended_the_event_loop(self) -> None:
        async def stop() -> str:
            asyncio.get_running_loop().stop()
            await asyncio.sleep(0)
            return "stopped"

        async def leave() -> str:
            async def end() -> None:
                sys.exit(3)

            await asyncio.wait([asyncio.ensure_future(end())])
            return "left"

        self.start(stop, leave)
        for name, result in (("stop", "stopped"), ("leave", "left"), ("stop", "stopped")):
            call_id = self.service.call(name, {})
            self.assertEqual(self.service.next_entry(), {"callId": call_id, "result": result})

    def test_of_an_async_function_whose_decorator_runs_it(self) -> None:
        async def work() -> str:
            return "done"

        @functools.wraps(work)
        def run() -> str:
            with concurrent.futures.ThreadPoolExecutor() as pool:
                return pool.submit(asyncio.run, work()).result()

        self.start(run)
        self.service.call("work", {})
        self.assertEqual(self.service.next_entry()["result"], "done")

    def test_of_an_async_function_run_after_the_event_loop_could_not_start(self) -> None:
        async def work() -> str:
            return "done"

        self.start(work)
        start = threading.Thread.start

        def fail(thread: threading.Thread) -> None:
            if thread.name == "toolhost-loop":
                raise RuntimeError("can't start new thread")
            start(thread)

        with mock.patch.object(threading.Thread, "start", fail):
            self.service.call("work", {})
            self.assertIn("error", self.service.next_entry())
        self.service.call("work", {})
        self.assertEqual(self.service.next_entry()["result"], "done")

    def test_of_plain_functions_run_at_the_same_time(self) -> None:
        both = threading.Barrier(2)

        def meet() -> str:
            both.wait(10)
            return threading.current_thread().name

        self.start(meet)
        for _ in range(2):
            self.service.call("meet", {})
        self.assertEqual({self.service.next_entry()["result"] for _ in range(2)}, {"toolhost-call"})

    def test_get_a_context(self) -> None:
        def look(context: Context) -> List[Any]:
            context.progress(1, 2, "half")
            context.log("info", "looked", count=1)
            return [context.call_id, context.session, context.traceparent, context.attempt, 0 < context.remaining <= 5]

        self.start(look)
        call_id = self.service.call("look", {}, session="s1", traceparent="00-a-b-01", attempt=2, timeoutMs=5000)
        entries = [self.service.next_entry() for _ in range(3)]
        self.assertEqual(
            entries,
            [
                {"callId": call_id, "progress": {"progress": 1, "total": 2, "message": "half"}},
                {"callId": call_id, "log": {"level": "info", "message": "looked", "fields": {"count": 1}}},
                {"callId": call_id, "result": [call_id, "s1", "00-a-b-01", 2, True]},
            ],
        )


class Failures(WorkerTest):
    def error_of(self, function: Callable[..., Any], arguments: Any = None) -> Any:
        self.start(function)
        self.service.call(function.__name__, {} if arguments is None else arguments)
        return self.service.next_entry()["error"]

    def test_a_tool_error_reaches_the_model(self) -> None:
        def fail() -> None:
            raise ToolError("The shop is closed.", retryable=True, details={"opens": 9})

        expected = {"message": "The shop is closed.", "retryable": True, "details": {"opens": 9}}
        self.assertEqual(self.error_of(fail), expected)

    def test_details_that_are_not_json_are_left_out(self) -> None:
        def fail() -> None:
            raise ToolError("No.", details=object())

        self.assertEqual(self.error_of(fail), {"message": "No.", "retryable": False})

    def test_another_exception_stays_in_the_log(self) -> None:
        def fail() -> None:
            raise KeyError("secret-of-the-tool")

        logging.disable(logging.NOTSET)
        with self.assertLogs("toolhost_worker", "ERROR") as logs:
            error = self.error_of(fail)
        self.assertNotIn("secret", str(error))
        self.assertIn("secret-of-the-tool", "\n".join(logs.output))

    def test_sys_exit_ends_the_call_alone(self) -> None:
        async def leave() -> None:
            raise SystemExit(3)

        self.assertEqual(self.error_of(leave)["retryable"], False)
        self.service.call("leave", {})
        self.assertIn("error", self.service.next_entry())

    def test_a_result_that_is_not_json_is_an_error(self) -> None:
        def measure() -> float:
            return float("nan")

        error = self.error_of(measure)
        self.assertEqual(error["details"], {"code": "invalid_result"})
        self.assertIn("NaN", error["message"])

    def test_bad_arguments_are_refused_before_the_function_runs(self) -> None:
        ran = []

        def pay(amount: int, note: str = "") -> None:
            ran.append(amount)

        error = self.error_of(pay, {"amount": "secret-value", "not": 1})
        self.assertEqual(ran, [])
        self.assertEqual(
            error["details"]["issues"],
            [
                {"path": "/amount", "message": "must be an integer"},
                {"path": "/not", "message": "is not an argument of the tool"},
            ],
        )
        self.assertNotIn("secret-value", str(error))

    def test_a_call_of_an_unknown_tool_is_answered(self) -> None:
        self.start(Tool(lambda: None, name="one"))
        self.service.call("other", {})
        self.assertIn("does not have", self.service.next_entry()["error"]["message"])


class Settings(unittest.TestCase):
    def test_are_checked(self) -> None:
        def make(**changes: Any) -> Worker:
            settings = {"name": "a", "url": "http://127.0.0.1:1", "token": "t", **changes}
            return Worker([], **settings)

        wrong = [{"name": "a b"}, {"token": ""}, {"token": "new\nline"}, {"concurrency": 0}]
        wrong += [{"url": each} for each in ("ftp://a", "http://", "http://me:pw@a", "http://a/?q=1", "http://a:0")]
        # What no request can contain: the paths must be percent-encoded, and the label of a host has at most 63 characters.
        wrong += [{"url": each} for each in ("http://a/b c", "http://a/\u00fc", f"http://{'a' * 64}.example", "http://a..b")]
        for changes in wrong:
            with self.subTest(changes=changes), self.assertRaises(SettingsError) as caught:
                make(**changes)
            self.assertNotIn("pw", str(caught.exception))
        with self.assertRaises(SettingsError):
            Worker([Tool(len, name="a"), Tool(repr, name="a")], name="a", url="http://a", token="t")
        for parameters in ({"enum": {1}}, {"maximum": float("inf")}):
            with self.subTest(parameters=parameters), self.assertRaises(SettingsError):
                Worker([Tool(len, parameters=parameters)], name="a", url="http://a", token="t")


if __name__ == "__main__":
    unittest.main()
