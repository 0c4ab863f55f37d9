"""Stands in for the official package, which cannot be installed where these tests run: the part of it that README.md uses."""
import json
import os
from types import SimpleNamespace
from urllib.request import Request, urlopen


class Reply(SimpleNamespace):
    """As the package's models: fields by name, and `to_json` with the fields that came, indented by two."""

    def to_json(self):
        return json.dumps(self, indent=2, default=vars)


class OpenAI:
    def __init__(self):
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=create))


def create(**request):
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    headers = {"content-type": "application/json", "authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
    sent = Request(url, json.dumps(request).encode(), headers)
    return json.loads(urlopen(sent, timeout=60).read(), object_hook=lambda fields: Reply(**fields))
