"""An agent's loop with Python's standard library alone, for Anthropic, OpenAI or Ollama:

ANTHROPIC_API_KEY=… python3 examples/loop.py "What is the weather in Oslo?" [anthropic | openai | ollama]
"""
import json
import os
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen

if len(sys.argv) < 2:
    sys.exit(__doc__)
question, provider = [*sys.argv[1:], "anthropic"][:2]
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


def send(url, headers, body=None):
    try:
        return urlopen(Request(url, body, {"content-type": "application/json", **headers})).read()
    except HTTPError as error:
        sys.exit(f"{url} answered {error.code}: {error.read().decode()}")


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
