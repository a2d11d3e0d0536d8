"""An agent that does what its prompt says, with the tools that it is offered. A script stands for its model: it follows
a rule that it finds in the prompt, follows one that is no more than a "should" less often, and slips now and then."""

import json
import os
import random
import re
import sys

PAID = {7: 60, 8: 250, 9: 40}


def rule(prompt, words):
    """The line of the prompt with these words, and how often it is followed: 0 where there is none."""
    for line in prompt.lower().splitlines():
        if re.search(words, line):
            weak = re.search(r"\b(should|rarely|usually|ideally|try to)\b", line)
            return line, 0.6 if weak else 0.99
    return "", 0


def answer(prompt, tools, request):
    rng = random.Random(request["seed"])
    order, wanted = request["input"]["order"], request["input"].get("amount")

    def follows(words):
        line, share = rule(prompt, words)
        return rng.random() < share, line

    steps = []

    def call(tool, **arguments):
        steps.append({"action": "call_tool", "tool": tool, "arguments": arguments})
        if tool in tools:
            return True
        steps[-1]["error"] = "there is no such tool"
        return False

    looks, _ = follows(r"look.* order")
    known = looks and call("lookup_order", order=order)
    paid = PAID[order] if known else 50  # it guesses
    if wanted is None:
        text = f"{paid} euros were paid"
    else:
        capped, line = follows(r"refund .*paid|pay back .*paid")
        amount = min(wanted, paid) if capped and "always" not in line else wanted
        asks, line = follows(r"manager")
        limit = re.search(r"(\d+) euros", line)
        if asks and "never" not in line and limit and amount > int(limit[1]):
            call("ask_manager", order=order)
        text = f"refunded {amount} euros" if call("refund", order=order, amount=amount) else "nothing could be refunded"
    named, line = follows(r"(name|mention|state|give) .*order")
    if named and "never" not in line:
        text += f" for order {order}"
    brief, line = follows(r"at most \d+ words")
    if not brief or int(re.search(r"at most (\d+)", line)[1]) > 20:
        text += ", and we hope that you are happy with this and come back to us very soon"
    return {"output": text + ".", "steps": steps, "cost_usd": 0.0004, "turns": len(steps) + 1}


prompt = open(os.environ["TRIBUNAL_PROMPT"]).read()
tools = {tool["name"] for tool in json.load(open(os.environ["TRIBUNAL_TOOLS"]))}
for line in sys.stdin:
    print(json.dumps(answer(prompt, tools, json.loads(line))), flush=True)
