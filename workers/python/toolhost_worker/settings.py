"""The settings that a worker reads from the environment."""

from __future__ import annotations

import os
import re
from typing import Optional
from urllib.parse import urlsplit

from .errors import SettingsError

DEFAULT_URL = "http://127.0.0.1:8080"
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def read_url(url: Optional[str]) -> str:
    """:param url: of the service, with the path that it has behind a proxy; None for that of the environment
    :returns: the URL of `/workers`
    :raises SettingsError:
    """
    text = url or os.environ.get("TOOLHOST_URL") or DEFAULT_URL
    try:
        parts = urlsplit(text)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        # A UnicodeError is a ValueError: a label of the host is empty or too long.
        (parts.hostname or "").encode("idna")
    except ValueError:
        is_valid = False
    # The URL may contain a password by mistake: the message does not quote it.
    if not is_valid:
        raise SettingsError("the URL of the service (TOOLHOST_URL) must be like https://tools.example")
    if parts.username is not None or parts.query or parts.fragment:
        raise SettingsError("the URL of the service (TOOLHOST_URL) must not contain credentials, a query or a fragment")
    if not all("!" <= character <= "~" for character in parts.path):
        raise SettingsError("the path of the URL of the service (TOOLHOST_URL) must be percent-encoded")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/workers"


def read_token(token: Optional[str]) -> str:
    """:raises SettingsError: it is missing, or is not a token"""
    text = token if token is not None else os.environ.get("TOOLHOST_WORKER_TOKEN", "")
    if not text:
        raise SettingsError("TOOLHOST_WORKER_TOKEN must be set to a token of the service's workers")
    if not all("!" <= character <= "~" for character in text):
        raise SettingsError("TOOLHOST_WORKER_TOKEN contains characters that a header cannot contain")
    return text


def check_name(name: str) -> str:
    """:raises SettingsError: it is not the name of a worker"""
    if _NAME.fullmatch(name) is None:
        raise SettingsError("the name of a worker must be 1 to 64 characters of a-z, A-Z, 0-9, _ and -")
    return name
