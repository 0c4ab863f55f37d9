"""A service that is as strict as the protocol (docs/workers.md), and hands out the calls of a script."""

from __future__ import annotations

import json
import queue
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional, Set, Tuple
from urllib.parse import parse_qs, urlsplit

TOKEN = "a-token-of-the-tests"
Answer = Tuple[int, Any]


class FakeService:
    """`answer` may take the place of an answer: it gets the method and the path, and returns None for the usual one."""

    def __init__(self, lease_ms: int = 30_000, base: str = "", port: int = 0) -> None:
        self.lease_ms = lease_ms
        self.base = base
        self.answer: Callable[[str, str], Optional[Answer]] = lambda method, path: None
        self.registrations: List[Dict[str, Any]] = []
        self.polls: List[Tuple[str, int, int]] = []
        self.left: List[str] = []
        self.entries: "queue.Queue[Dict[str, Any]]" = queue.Queue()
        self.faults: List[str] = []
        self._workers: Dict[str, bool] = {}
        self._calls: Dict[str, Dict[str, Any]] = {}
        self._connections: Set[socket.socket] = set()
        self._over: Set[str] = set()
        self._dismissed: Set[str] = set()
        self._waiting: List[Dict[str, Any]] = []
        self._cancelled: List[str] = []
        # The worker that a call was handed to, which alone hears of its cancellation.
        self._worker_of: Dict[str, str] = {}
        self._changed = threading.Condition()
        self._newest_polls: Dict[str, int] = {}
        self._count = 0
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def setup(self) -> None:
                super().setup()
                service._connections.add(self.connection)

            def do_POST(self) -> None:
                service._handle(self, "POST")

            def do_DELETE(self) -> None:
                service._handle(self, "DELETE")

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}{base}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        """As the end of the process: connections end too."""
        self._server.shutdown()
        self._server.server_close()
        for each in self._connections:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def call(self, tool: str, arguments: Any, **more: Any) -> str:
        """Hands out a call. Returns its id."""
        with self._changed:
            self._count += 1
            call_id = f"call-{self._count}"
            handed = {"callId": call_id, "tool": tool, "arguments": arguments, "timeoutMs": 10_000, "attempt": 1, **more}
            self._calls[call_id] = handed
            self._waiting.append(handed)
            self._changed.notify_all()
        return call_id

    def cancel(self, call_id: str) -> None:
        with self._changed:
            self._over.add(call_id)
            self._cancelled.append(call_id)
            self._changed.notify_all()

    def forget_workers(self) -> None:
        with self._changed:
            self._workers.clear()
            self._changed.notify_all()

    def dismiss_workers(self) -> None:
        """As a reload that changes what their token may do: they must register again, and may answer what runs."""
        with self._changed:
            self._dismissed.update(self._workers)
            self._newest_polls.clear()
            self._changed.notify_all()

    def next_entry(self, seconds: float = 10.0) -> Dict[str, Any]:
        return self.entries.get(timeout=seconds)

    def wait_registered(self, count: int = 1) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.registrations) >= count, 20), "no registration"

    def wait_polls(self, found: Callable[[Tuple[str, int, int]], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: any(map(found, self.polls)), 20), "no such poll"

    def _handle(self, handler: BaseHTTPRequestHandler, method: str) -> None:
        body = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        status, answer = self._route(handler, method, body)
        try:
            self._write(handler, status, answer)
        except OSError:
            pass  # The worker has gone, or this service has ended.

    def _write(self, handler: BaseHTTPRequestHandler, status: int, answer: Any) -> None:
        text = b"" if answer is None else json.dumps(answer).encode()
        handler.send_response(status)
        if text:
            handler.send_header("content-type", "application/json")
        if status != 204:
            handler.send_header("content-length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)

    def _route(self, handler: BaseHTTPRequestHandler, method: str, body: bytes) -> Answer:
        parts = urlsplit(handler.path)
        path = parts.path
        special = self.answer(method, path)
        if special is not None:
            return special
        if handler.headers.get("authorization") != f"Bearer {TOKEN}":
            return _error(401, "unauthorized")
        if body and handler.headers.get("content-type") != "application/json":
            return self._fault("a body that is not application/json")
        if not path.startswith(f"{self.base}/workers"):
            return _error(404, "not_found")
        names = path[len(f"{self.base}/workers") :].strip("/").split("/")
        if names == [""]:
            return self._register(json.loads(body)) if method == "POST" else _error(405, "method_not_allowed")
        if names[0] not in self._workers:
            return _error(404, "not_found")
        if method == "DELETE" and len(names) == 1:
            self.left.append(names[0])
            self._workers[names[0]] = False
            return 204, None
        if names[1:] == ["poll"] and method == "POST":
            query = parse_qs(parts.query)
            return self._poll(names[0], int(query["waitMs"][0]), int(query["max"][0]))
        if names[1:] == ["calls"] and method == "POST":
            return self._take(json.loads(body)["answers"])
        return self._fault(f"{method} {path}")

    def _register(self, body: Dict[str, Any]) -> Answer:
        if set(body) - {"name", "concurrency", "tools"}:
            return self._fault("a member of the registration that the protocol does not have")
        with self._changed:
            worker = f"w{len(self.registrations) + 1}"
            self.registrations.append(body)
            self._workers[worker] = True
            self._changed.notify_all()
        tools = [{"name": each["name"], "state": "added"} for each in body["tools"]]
        return 201, {"workerId": worker, "leaseMs": self.lease_ms, "tools": tools}

    def _poll(self, worker: str, wait_ms: int, most: int) -> Answer:
        with self._changed:
            number = len(self.polls) + 1
            self._newest_polls[worker] = number
            self.polls.append((worker, wait_ms, most))
            self._changed.notify_all()

            def cancelled() -> List[str]:
                return [each for each in self._cancelled if self._worker_of.get(each, worker) == worker]

            def is_refused() -> bool:
                is_done = not self._waiting and set(self._calls) <= self._over and not cancelled()
                return worker not in self._workers or (worker in self._dismissed and (most > 0 or is_done))

            def is_due() -> bool:
                is_over = number != self._newest_polls.get(worker) or is_refused()
                return is_over or bool(cancelled()) or (most > 0 and bool(self._waiting))

            self._changed.wait_for(is_due, wait_ms / 1000)
            if is_refused():
                return _error(404, "not_found")
            if number != self._newest_polls.get(worker):
                return 200, {"calls": [], "cancelled": []}
            if most > 0 and not self._workers[worker]:
                return self._fault("a poll for calls after the worker has left")
            calls, self._waiting = self._waiting[:most], self._waiting[most:]
            self._worker_of.update((each["callId"], worker) for each in calls)
            told = cancelled()
            self._cancelled = [each for each in self._cancelled if each not in told]
            return 200, {"calls": calls, "cancelled": told}

    def _take(self, answers: List[Dict[str, Any]]) -> Answer:
        for each in answers:
            kinds = set(each) - {"callId"}
            if len(kinds) != 1 or not kinds <= {"result", "error", "progress", "log"}:
                return self._fault(f"an answer with {sorted(each)}")
            if each["callId"] not in self._calls:
                return self._fault("an answer to a call that was not handed out")
            if each["callId"] in self._over:
                self.faults.append("an answer to a call that is over")
            if kinds <= {"result", "error"}:
                self._over.add(each["callId"])
            self.entries.put(each)
        return 204, None

    def _fault(self, message: str) -> Answer:
        self.faults.append(message)
        return _error(400, "bad_request")


def _error(status: int, code: str) -> Answer:
    return status, {"status": "error", "error": {"code": code, "message": f"The fake service says {code}."}}
