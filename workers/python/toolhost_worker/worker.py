"""Offers tools to a service, until it is stopped."""

from __future__ import annotations

import json
import logging
import threading
import time
from typing import Any, Callable, Dict, Iterable, List, Optional, Union

from .calls.calls import Runners
from .calls.slots import Slots
from .errors import Refused, SettingsError, Unreachable
from .registration import Registration, register
from .service.back_off import BackOff
from .service.connection import Connection
from .settings import check_name, read_token, read_url
from .tools import Tool, as_tool

_log = logging.getLogger("toolhost_worker")

DEFAULT_CONCURRENCY = 32
# Seconds. How long the answers of the last calls may take.
LAST_ANSWERS_SECONDS = 2.0


class Worker:
    """Registers tools, runs their calls, and registers again whenever the service has forgotten it.

    :param tools: functions, with or without `@tool`
    :param name: the source of the tools at the service; workers with one name share calls, and a newer version takes over
    :param url: of the service; default: `TOOLHOST_URL`, else http://127.0.0.1:8080
    :param token: default: `TOOLHOST_WORKER_TOKEN`
    :param concurrency: how many calls run at once in this process
    :raises SettingsError: a setting is missing or wrong, or a tool has an option that is not JSON
    """

    def __init__(
        self,
        tools: Iterable[Union[Tool, Callable[..., Any]]],
        *,
        name: str,
        url: Optional[str] = None,
        token: Optional[str] = None,
        concurrency: int = DEFAULT_CONCURRENCY,
    ) -> None:
        self.name = check_name(name)
        if concurrency < 1:
            raise SettingsError("concurrency must be at least 1")
        self.tools: Dict[str, Tool] = {}
        for each in map(as_tool, tools):
            if each.name in self.tools:
                raise SettingsError(f"two tools have the name \"{each.name}\"")
            self.tools[each.name] = each
        declarations = [each.registration() for each in self.tools.values()]
        self._body = _write_registration({"name": name, "concurrency": concurrency, "tools": declarations})
        self._connection = Connection(read_url(url), read_token(token))
        self._slots = Slots(concurrency, self._on_free)
        self._runners = Runners(self.tools, self._slots)
        self._changed = threading.Condition()
        self._ending = threading.Event()
        self._lost = threading.Event()
        self._current: Optional[Registration] = None
        # Registrations that the service has forgotten, and whose calls may still run.
        self._replaced: List[Registration] = []
        self._failure: Optional[Refused] = None
        self._thread = threading.Thread(target=self._serve, name="toolhost-worker", daemon=True)

    def start(self) -> None:
        """Returns at once: threads do the work."""
        self._thread.start()

    def wait(self, seconds: Optional[float] = None) -> bool:
        """Waits until it has ended, or the time is over.

        :returns: whether it has ended
        :raises Refused: the service refuses the worker, so that to try again is useless
        """
        self._thread.join(seconds)
        if self._failure is not None:
            raise self._failure
        return not self._thread.is_alive()

    def stop(self) -> None:
        """Takes no more calls, and waits for the running ones, within their time limits, and their answers."""
        if self._thread.ident is None:
            return  # It was never started.
        self._ending.set()
        self._lost.set()
        # A service that holds the answer to a registration must not hold the end.
        self._thread.join(LAST_ANSWERS_SECONDS)
        if self._thread.is_alive():
            self._connection.close()
            self._thread.join()
        current = [] if self._current is None else [self._current]
        registrations = [*self._replaced, *current]
        for each in current:
            each.leave()
        self._wait_idle(registrations)
        for each in registrations:
            each.end(LAST_ANSWERS_SECONDS)
        self._connection.close()

    def _wait_idle(self, registrations: List[Registration]) -> None:
        """Waits until no call runs whose time limit has not passed."""
        with self._changed:
            while any(each.calls.running for each in registrations):
                rest = max(each.calls.last_deadline() for each in registrations) - time.monotonic()
                if rest <= 0:
                    break
                self._changed.wait(rest)

    def _serve(self) -> None:
        back_off = BackOff()
        while True:
            self._lost.clear()
            if self._ending.is_set():
                return
            try:
                registration = register(self._connection, self._runners, self.name, self._body, self._lost.set)
            except Unreachable as error:
                _log.warning("the worker could not register: %s; it tries again", error)
                back_off.pause(error.asked, self._ending)
                continue
            except Refused as error:
                self._failure = error
                self._connection.close()
                return
            except Exception:
                # A fault of this library must not end the worker.
                _log.exception("a registration failed; the worker tries again")
                back_off.pause(0.0, self._ending)
                continue
            self._current = registration
            registration.start()
            # Set by `stop` too.
            self._lost.wait()
            if self._ending.is_set():
                return
            self._replaced = [each for each in self._replaced if each.calls.running > 0] + [registration]
            self._current = None
            # A service that forgets each registration at once is not asked without a pause.
            if registration.is_alive:
                back_off.reset()
            else:
                back_off.pause(0.0, self._ending)

    def _on_free(self) -> None:
        current = self._current
        if current is not None:
            current.wake()
        if self._ending.is_set():
            with self._changed:
                self._changed.notify_all()


def _write_registration(registration: Dict[str, Any]) -> bytes:
    try:
        return json.dumps(registration, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise SettingsError(f"a tool cannot be registered: {error}") from None
