"""The proxy of the environment."""

import os
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, List
from unittest import mock

from toolhost_worker.errors import Unreachable
from toolhost_worker.service.connection import Connection
from toolhost_worker.service.proxy import find_proxy


class Proxy(ThreadingHTTPServer):
    """Answers itself, whatever it is asked for."""

    daemon_threads = True

    def __init__(self) -> None:
        self.asked: List[str] = []
        self.credentials: List[str] = []
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("content-length") or 0))
                proxy.asked.append(self.path)
                proxy.credentials.append(self.headers["proxy-authorization"])
                self.send_response(204)
                self.end_headers()

            def do_CONNECT(self) -> None:
                proxy.asked.append(self.path)
                self.send_error(407)

            def log_message(self, *args: Any) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://me:p%40ss@127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()


class Proxies(unittest.TestCase):
    def setUp(self) -> None:
        self.proxy = Proxy()
        self.addCleanup(self.proxy.server_close)
        self.addCleanup(self.proxy.shutdown)
        environment = {"http_proxy": self.proxy.url, "https_proxy": self.proxy.url, "no_proxy": "inside.test"}
        patch = mock.patch.dict(os.environ, environment, clear=True)
        patch.start()
        self.addCleanup(patch.stop)

    def test_get_the_whole_url_and_their_credentials(self) -> None:
        connection = Connection("http://tools.test:8080/base/workers", "token")
        self.addCleanup(connection.close)
        connection.post("/w1/calls", b"{}")
        connection.post("/w1/calls", b"{}")
        self.assertEqual(self.proxy.asked, ["http://tools.test:8080/base/workers/w1/calls"] * 2)
        self.assertEqual(self.proxy.credentials, ["Basic bWU6cEBzcw=="] * 2)

    def test_make_a_tunnel_for_https(self) -> None:
        connection = Connection("https://tools.test/workers", "token")
        self.addCleanup(connection.close)
        with self.assertRaises(Unreachable) as caught:
            connection.post("/w1/calls", b"{}")
        self.assertEqual(self.proxy.asked, ["tools.test:443"])
        self.assertNotIn("p@ss", str(caught.exception))

    def test_are_not_asked_for_this_machine_and_for_exceptions(self) -> None:
        for host in ("localhost", "a.localhost", "127.0.0.1", "127.9.9.9", "::1", "inside.test"):
            with self.subTest(host=host):
                self.assertIsNone(find_proxy("http", host, 8080))
        self.assertIsNotNone(find_proxy("http", "10.0.0.1", 8080))


if __name__ == "__main__":
    unittest.main()
