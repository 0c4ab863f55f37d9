"""An agent's loop with only Python's standard library, for Anthropic, OpenAI or Ollama:

ANTHROPIC_API_KEY=… python3 examples/loop.py "What is the weather in Oslo?" [anthropic | openai | ollama]
"""
import argparse
import json
import os
import sys
import time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
arguments.add_argument("question")
arguments.add_argument("provider", nargs="?", default="anthropic", choices=["anthropic", "openai", "ollama"])
options = arguments.parse_args()
question, provider = options.question, options.provider
env = os.environ.get


def bearer(name):
    return {"authorization": f"Bearer {env(name)}"} if env(name) else {}


toolhost = env("TOOLHOST_URL", "http://127.0.0.1:8080")
url, headers, rest, text = {
    "anthropic": (env("ANTHROPIC_BASE_URL", "https://api.anthropic.com") + "/v1/messages",
                  {"x-api-key": env("ANTHROPIC_API_KEY", ""), "anthropic-version": "2023-06-01"},
                  {"model": env("ANTHROPIC_MODEL", "claude-sonnet-5"), "max_tokens": 4096},
                  lambda reply: "".join(block.get("text", "") for block in reply["content"])),
    "openai": (env("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions", bearer("OPENAI_API_KEY"),
               {"model": env("OPENAI_MODEL", "gpt-5.1")}, lambda reply: reply["choices"][0]["message"]["content"]),
    "ollama": (env("OLLAMA_BASE_URL", "http://127.0.0.1:11434") + "/api/chat", {},
               {"model": env("OLLAMA_MODEL", "qwen3"), "stream": False}, lambda reply: reply["message"]["content"]),
}[provider]


def send(url, headers, body=None, tries=4):
    """Sends a request. If the answer is 429 or 503, nothing has run: the request is sent again after a pause."""
    try:
        return urlopen(Request(url, body, {"content-type": "application/json", **headers}), timeout=120).read()
    except HTTPError as error:
        if error.code not in (429, 503) or tries == 1:
            sys.exit(f"{url} answered {error.code}: {error.read().decode()}")
        seconds = error.headers.get("retry-after", "")
        time.sleep(min(int(seconds), 60) if seconds.isdigit() else 1)
        return send(url, headers, body, tries - 1)
    except (OSError, HTTPException) as error:
        sys.exit(f"{url} cannot be reached: {getattr(error, 'reason', error)}")


tools = json.loads(send(f"{toolhost}/tools?format={provider}", bearer("TOOLHOST_API_KEY")))["tools"]
messages = [{"role": "user", "content": question}]
for turn in range(10):
    reply = send(url, headers, json.dumps({**rest, "messages": messages, "tools": tools}).encode())
    answer = json.loads(send(f"{toolhost}/calls?format={provider}&echo=true", bearer("TOOLHOST_API_KEY"), reply))
    for warning in answer["warnings"]:
        print(warning["message"], file=sys.stderr)
    if answer["done"]:
        print(text(json.loads(reply)))
        break
    messages += answer["messages"]
else:
    sys.exit("no answer in 10 turns")
