"""Requests to the /workers of a service, over connections that stay open."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
from typing import Any, Dict, List, Optional, Set, Tuple
from urllib.parse import urlsplit

from ..errors import Refused, Unreachable
from .proxy import Proxy, find_proxy

# Seconds. The service may take this long to answer beyond what it was asked to hold the answer.
ANSWER_SECONDS = 15.0
CONNECT_SECONDS = 10.0


class Connection:
    """Thread-safe: each request has a connection of its own while it runs.

    :param url: of the service's `/workers`
    :param token: of the worker; no error and no log line contains it
    """

    def __init__(self, url: str, token: str) -> None:
        parts = urlsplit(url)
        self._is_tls = parts.scheme == "https"
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if self._is_tls else 80)
        self._path = parts.path.rstrip("/")
        self._proxy = find_proxy(parts.scheme, self._host, self._port)
        self._tls = ssl.create_default_context() if self._is_tls else None
        self._headers = {"authorization": f"Bearer {token}"}
        self._json_headers = {**self._headers, "content-type": "application/json"}
        if self._proxy is not None and not self._is_tls:
            # A proxy for plain HTTP takes the whole URL.
            self._path = f"http://{parts.netloc.rpartition('@')[2]}{self._path}"
            self._headers.update(self._proxy.headers)
            self._json_headers.update(self._proxy.headers)
        self._lock = threading.Lock()
        self._idle: List[http.client.HTTPConnection] = []
        self._used: Set[http.client.HTTPConnection] = set()
        self._is_closed = False

    def post(self, path: str, body: Optional[bytes] = None, held: float = 0.0) -> Dict[str, Any]:
        """
        :param path: behind `/workers`
        :param body: JSON
        :param held: how many seconds the service may hold the answer
        :returns: the JSON of the answer, empty if it has none
        :raises Unreachable: nothing came, or the service cannot answer now
        :raises Refused: the service refused the request
        """
        return self._exchange("POST", path, body, held)

    def delete(self, path: str) -> None:
        """:raises Unreachable: and Refused, as `post`"""
        self._exchange("DELETE", path, None, 0.0)

    def close(self) -> None:
        """Gives up all requests: they raise Unreachable."""
        with self._lock:
            self._is_closed = True
            used, idle = list(self._used), self._idle
            self._idle = []
        for each in used:
            _shut_down(each)
        for each in idle:
            each.close()

    def _exchange(self, method: str, path: str, body: Optional[bytes], held: float) -> Dict[str, Any]:
        connection, is_reused = self._take()
        try:
            try:
                status, headers, text = self._send(connection, method, path, body, held)
            except (http.client.RemoteDisconnected, ConnectionError):
                # The service may end a connection that was idle just when the next request is sent.
                if not is_reused or self._is_closed:
                    raise
                connection.close()
                status, headers, text = self._send(connection, method, path, body, held)
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise Unreachable(f"the service cannot be reached ({_reason(error)})") from error
        finally:
            self._give_back(connection)
        return _read(status, headers, text)

    def _send(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: Optional[bytes], held: float
    ) -> Tuple[int, http.client.HTTPMessage, bytes]:
        if connection.sock is None:
            connection.timeout = CONNECT_SECONDS
            connection.connect()
            if self._is_closed:
                raise ConnectionError("the worker has ended")
        if connection.sock is not None:
            connection.sock.settimeout(held + ANSWER_SECONDS)
        headers = self._headers if body is None else self._json_headers
        connection.request(method, self._path + path, body, headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read()

    def _take(self) -> Tuple[http.client.HTTPConnection, bool]:
        with self._lock:
            if self._is_closed:
                raise Unreachable("the worker has ended")
            is_reused = bool(self._idle)
            connection = self._idle.pop() if is_reused else self._open()
            self._used.add(connection)
        return connection, is_reused and connection.sock is not None

    def _give_back(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            self._used.discard(connection)
            if not self._is_closed:
                if connection.sock is not None:
                    self._idle.append(connection)
                return
        connection.close()

    def _open(self) -> http.client.HTTPConnection:
        proxy: Optional[Proxy] = self._proxy
        host, port = (self._host, self._port) if proxy is None else (proxy.host, proxy.port)
        if self._tls is None:
            return http.client.HTTPConnection(host, port)
        connection = http.client.HTTPSConnection(host, port, context=self._tls)
        if proxy is not None:
            connection.set_tunnel(self._host, self._port, proxy.headers)
        return connection


def _shut_down(connection: http.client.HTTPConnection) -> None:
    try:
        # Wakes the thread that waits for the answer.
        connection.sock.shutdown(socket.SHUT_RDWR)
    except (OSError, AttributeError):
        pass


def _read(status: int, headers: http.client.HTTPMessage, text: bytes) -> Dict[str, Any]:
    answer = _parse(text)
    if 200 <= status < 300:
        if text and answer is None:
            raise Unreachable(f"the service answered with status {status}, but without JSON")
        return answer or {}
    error = (answer or {}).get("error")
    message = error.get("message") if isinstance(error, dict) else None
    is_temporary = status >= 500 or status in (408, 429)
    # A proxy whose service is down may answer with any status.
    if is_temporary or not isinstance(message, str):
        raise Unreachable(f"the service answered {status}", _seconds(headers.get("retry-after")))
    raise Refused(status, message)


def _parse(text: bytes) -> Optional[Dict[str, Any]]:
    try:
        answer = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


def _seconds(text: Optional[str]) -> float:
    return float(text) if text is not None and text.isascii() and text.isdigit() else 0.0


def _reason(error: Exception) -> str:
    # str(error) may quote what the service sent.
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return type(error).__name__
