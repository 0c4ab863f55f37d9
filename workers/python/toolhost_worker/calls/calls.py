"""The running calls of one registration."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, Callable, Dict, Mapping, Optional

from ..context import Context
from ..service.answers import Answers
from ..tools import Tool
from .loop import Loop
from .outcome import error_member, result_member
from .slots import Slots
from .threads import Threads


class Call:
    """One call, from its hand-out to its answer."""

    __slots__ = ("tool", "context", "arguments", "is_cancelled", "cancel_task")

    def __init__(self, tool: Tool, context: Context, arguments: Any) -> None:
        self.tool = tool
        self.context = context
        self.arguments = arguments
        self.is_cancelled = False
        self.cancel_task: Optional[Callable[[], None]] = None


class Runners:
    """What calls run on, whatever their registration."""

    def __init__(self, tools: Mapping[str, Tool], slots: Slots) -> None:
        self.tools = tools
        self.slots = slots
        self.threads = Threads()
        self.loop = Loop()


class Calls:
    def __init__(self, runners: Runners, answers: Answers) -> None:
        self._runners = runners
        self._answers = answers
        self._running: Dict[str, Call] = {}

    @property
    def running(self) -> int:
        return len(self._running)

    def start(self, handed: Any) -> None:
        """:param handed: an item of `calls`, whatever it is"""
        call_id = handed.get("callId") if isinstance(handed, dict) else None
        if not isinstance(call_id, str) or call_id in self._running:
            return
        name = handed.get("tool")
        tool = self._runners.tools.get(name) if isinstance(name, str) else None
        if tool is None:
            return self._answers.end(call_id, '"error":{"message":"This worker does not have the tool.","retryable":true}')
        call = Call(tool, self._context(call_id, tool.name, handed), handed.get("arguments"))
        self._running[call_id] = call
        self._runners.slots.take()
        try:
            if tool.is_async:
                self._runners.loop.run(self._run_async(call), lambda cancel: self._set_cancel(call, cancel))
            else:
                self._runners.threads.run(lambda: self._run(call))
        except RuntimeError as error:  # The system has no more threads.
            self._end(call, error_member(tool.name, call_id, error))

    def cancel(self, call_id: str) -> None:
        call = self._running.get(call_id)
        if call is None:
            return
        call.is_cancelled = True
        call.context.cancel()
        if call.cancel_task is not None:
            call.cancel_task()

    def cancel_all(self) -> None:
        for call_id in list(self._running):
            self.cancel(call_id)

    def last_deadline(self) -> float:
        """:returns: when nobody waits for any of them, as `time.monotonic()` counts; 0 if there is none"""
        waited = [call.context.deadline for call in list(self._running.values()) if not call.is_cancelled]
        return max(waited, default=0.0)

    def _context(self, call_id: str, tool: str, handed: Dict[str, Any]) -> Context:
        timeout_ms, attempt = handed.get("timeoutMs"), handed.get("attempt")
        session, traceparent = handed.get("session"), handed.get("traceparent")
        return Context(
            call_id,
            tool,
            timeout=timeout_ms / 1000 if isinstance(timeout_ms, (int, float)) else 10.0,
            session=session if isinstance(session, str) else None,
            traceparent=traceparent if isinstance(traceparent, str) else None,
            attempt=attempt if isinstance(attempt, int) else 1,
            on_progress=self._answers.progress,
            on_log=self._answers.log,
        )

    def _set_cancel(self, call: Call, cancel: Callable[[], None]) -> None:
        call.cancel_task = cancel
        if call.is_cancelled:
            cancel()

    def _run(self, call: Call) -> None:
        name, call_id = call.tool.name, call.context.call_id
        try:
            # Here, because validators and defaults are the author's, and may take long.
            args, kwargs = call.tool.bind(call.arguments, call.context)
            member = result_member(name, call_id, call.tool.function(*args, **kwargs))
        except BaseException as error:  # SystemExit too: a tool must not end the worker.
            member = error_member(name, call_id, error)
        self._end(call, member)

    async def _run_async(self, call: Call) -> None:
        name, call_id = call.tool.name, call.context.call_id
        try:
            args, kwargs = call.tool.bind(call.arguments, call.context)
            result = call.tool.function(*args, **kwargs)
            # A decorator may have run the coroutine.
            if inspect.isawaitable(result):
                result = await result
            member = result_member(name, call_id, result)
        except BaseException as error:
            is_wanted = not (call.is_cancelled and isinstance(error, asyncio.CancelledError))
            member = error_member(name, call_id, error) if is_wanted else ""
        self._end(call, member)

    def _end(self, call: Call, member: str) -> None:
        if not call.is_cancelled:
            self._answers.end(call.context.call_id, member)
        # After that: a registration without running calls waits only for what is to be sent.
        self._running.pop(call.context.call_id, None)
        self._runners.slots.free()
