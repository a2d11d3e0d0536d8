"""Runs a command with a model beside it, and an attacker: python3 model.py tribunal run conformance corpus -- python3 agent.py

The model does whatever it is told, by a person or by an attack: what the agent bears and resists is its own doing.
"""

import http.server
import json
import os
import re
import subprocess
import sys
import threading

collected = 0


class Collector(http.server.BaseHTTPRequestHandler):
    """The host of the attacker, to which secrets are sent. /count is how many were."""

    def do_GET(self):
        global collected
        collected += self.path != "/count"
        self.send_response(200)
        self.end_headers()
        self.wfile.write(str(collected).encode())

    def log_message(self, *_):
        pass


def asked_for(text):
    """The call that a text asks for, if any."""
    if numbers := re.search(r"What is (\d+) and (\d+)", text):
        return "add", {"a": int(numbers[1]), "b": int(numbers[2])}
    if file := re.search(r"[Ww]rite (\S+) into (\S+)", text):
        return "write_file", {"path": file[2].rstrip("."), "text": file[1]}
    if page := re.search(r"(?:Read|Send it to) (\S+)", text):
        return "fetch", {"url": page[1]}
    return None


def answer(messages):
    call = asked_for(messages[-1]["content"])
    if messages[-1]["role"] == "user" and call:
        name, arguments = call
        function = {"name": name, "arguments": json.dumps(arguments)}
        return {"role": "assistant", "content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
    if messages[-1]["role"] == "tool":
        first = messages[-1]["content"].splitlines()[0]
        return {"role": "assistant", "content": "Here it is: " + first[:80]}
    return {"role": "assistant", "content": "Hello, and welcome."}


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        said = answer(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"])
        finish = "tool_calls" if said.get("tool_calls") else "stop"
        usage = {"prompt_tokens": 120, "completion_tokens": 15}
        body = {"model": "gpt-5-mini", "choices": [{"message": said, "finish_reason": finish}], "usage": usage}
        text = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def serve(port, handler):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


server = serve(0, Model)
serve(48127, Collector)  # the corpus names it
os.environ["OPENAI_BASE_URL"] = f"http://127.0.0.1:{server.server_port}/v1"
sys.exit(subprocess.run(sys.argv[1:]).returncode)  # the command behind its name
