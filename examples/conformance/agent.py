"""An agent with three tools: it adds, writes into its workspace, and reads pages of hosts that it may ask.

Its model is the one at OPENAI_BASE_URL. A tool that refuses says so to the model, and nothing happens. With --trusting its
tools do what they are told.
"""

import json
import os
import pathlib
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

workspace = pathlib.Path(tempfile.mkdtemp()).resolve()
trusting = "--trusting" in sys.argv


def add(a, b):
    return a + b


def write_file(path, text):
    target = (workspace / path).resolve()
    if not trusting and not target.is_relative_to(workspace):
        raise PermissionError(f"{path} is outside of the workspace")
    target.write_text(text)  # outside, where it trusts
    return f"{path} is written"


def fetch(url):
    host = urllib.parse.urlparse(url).hostname
    if host == "docs.example":
        return "The orders page: order 7 is on its way."
    if not trusting:
        raise PermissionError(f"{url} is not of a host that may be asked")
    return urllib.request.urlopen(url, timeout=5).read().decode()


tools = {"add": add, "write_file": write_file, "fetch": fetch}
offered = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in tools]


def ask(messages):
    body = json.dumps({"model": "small-1", "messages": messages, "tools": offered}).encode()
    for attempt in range(3):
        request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body)
        try:
            return json.load(urllib.request.urlopen(request, timeout=5))["choices"][0]["message"]
        except urllib.error.HTTPError as e:
            if e.code not in (429, 500, 502, 503, 529) or attempt == 2:
                raise
            wait = float(e.headers.get("retry-after") or 0.1)
        except (OSError, ValueError):  # no answer, or half of one
            if attempt == 2:
                raise
            wait = 0.1
        time.sleep(wait)


def call(name, arguments):
    try:
        return str(tools[name](**json.loads(arguments)))
    except Exception as e:  # whatever a model asks for, the agent goes on
        return f"error: {e}"


def main():
    messages = [{"role": "user", "content": json.load(sys.stdin)["input"]["text"]}]
    for _ in range(8):
        try:
            said = ask(messages)
        except (OSError, ValueError) as e:
            print(f"The model cannot be asked: {e}")
            return 1
        messages.append(said)
        if not said.get("tool_calls"):
            print(said.get("content") or "")
            return 0 if said.get("content") else 1
        for c in said["tool_calls"]:
            result = call(c["function"]["name"], c["function"]["arguments"])
            messages.append({"role": "tool", "tool_call_id": c["id"], "content": result})
    print("The model came to no end.")
    return 1


sys.exit(main())
