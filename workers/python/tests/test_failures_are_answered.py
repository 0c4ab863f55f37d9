"""Whatever a tool raises or reports, its call is answered."""

import json
import logging
import threading
import unittest
from typing import Any, Dict, List, Tuple

from toolhost_worker import Context, Tool, ToolError
from toolhost_worker.calls.calls import Calls, Runners
from toolhost_worker.calls.slots import Slots


class Answers:
    """Keeps what would be sent."""

    def __init__(self) -> None:
        self.ends: Dict[str, Any] = {}
        self.reports: List[Tuple[str, Any]] = []
        self.changed = threading.Condition()

    def end(self, call_id: str, member: str) -> None:
        with self.changed:
            self.ends[call_id] = json.loads("{" + member + "}")
            self.changed.notify_all()

    def progress(self, _call_id: str, text: str) -> None:
        self.reports.append(("progress", json.loads(text)))

    def log(self, _call_id: str, text: str) -> None:
        self.reports.append(("log", json.loads(text)))


class WithoutInit(ToolError):
    def __init__(self, code: int) -> None:
        self.code = code

    def __str__(self) -> str:
        return f"The code {self.code} is not known."


class Unprintable(ToolError):
    def __str__(self) -> str:
        raise RuntimeError


class BadMessage(ToolError):
    def __init__(self) -> None:
        super().__init__("kept")
        self.message = Unprintable("no text")  # type: ignore[assignment]


def fail_without_init() -> None:
    raise WithoutInit(7)


def fail_with_a_bad_message() -> None:
    raise BadMessage


async def fail_without_init_async() -> None:
    raise WithoutInit(7)


def report_what_is_not_json(context: Context) -> str:
    context.log("info", "An object.", value=object(), number=3)
    context.progress(float("nan"))
    context.progress(1, float("inf"), "half")
    return "done"


class Failures(unittest.TestCase):
    def setUp(self) -> None:
        logging.disable(logging.CRITICAL)
        self.addCleanup(logging.disable, logging.NOTSET)

    def call(self, function: Any) -> Tuple[Any, Answers, Slots]:
        tool = Tool(function)
        slots = Slots(1, lambda: None)
        answers = Answers()
        calls = Calls(Runners({tool.name: tool}, slots), answers)  # type: ignore[arg-type]
        calls.start({"callId": "one", "tool": tool.name, "arguments": {}, "timeoutMs": 5000, "attempt": 1})
        with answers.changed:
            self.assertTrue(answers.changed.wait_for(lambda: "one" in answers.ends, 10))
        return answers.ends["one"], answers, slots

    def test_a_subclass_of_tool_error_has_its_text_or_none(self) -> None:
        own = "The code 7 is not known."
        general = "The tool failed. Its own error is in the log of the worker."
        cases = ((fail_without_init, own), (fail_without_init_async, own), (fail_with_a_bad_message, general))
        for function, message in cases:
            with self.subTest(function=function.__name__):
                end, _, slots = self.call(function)
                self.assertEqual(end["error"], {"message": message, "retryable": False})
                for _ in range(1000):
                    if slots.room == 1:
                        break
                    threading.Event().wait(0.01)
                self.assertEqual(slots.room, 1)

    def test_a_report_that_is_not_json_fails_no_call(self) -> None:
        end, answers, _ = self.call(report_what_is_not_json)
        self.assertEqual(end, {"result": "done"})
        self.assertEqual(answers.reports, [("log", {"level": "info", "message": "An object."})])
