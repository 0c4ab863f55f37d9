"""The proxy of the environment for a service (`http_proxy`, `https_proxy`, `no_proxy`)."""

from __future__ import annotations

import base64
import ipaddress
from typing import Dict, NamedTuple, Optional
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass


class Proxy(NamedTuple):
    """An HTTP proxy, with the headers that it wants."""

    host: str
    port: int
    headers: Dict[str, str]


def find_proxy(scheme: str, host: str, port: int) -> Optional[Proxy]:
    """:returns: None for a loopback host, which no proxy can reach, and for a proxy that does not speak HTTP"""
    if _is_loopback(host) or proxy_bypass(f"{host}:{port}"):
        return None
    url = getproxies().get(scheme, "")
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if parts.scheme != "http" or parts.hostname is None:
        return None
    headers: Dict[str, str] = {}
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["proxy-authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    return Proxy(parts.hostname, parts.port or 80, headers)


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
