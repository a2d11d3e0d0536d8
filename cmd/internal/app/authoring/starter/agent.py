"""A demo agent: it answers questions about opening hours, and now and then gets one wrong.

It reads one line of JSON from standard input,

    {"scenario": "weekday", "input": {"day": "monday"}, "trial": 0, "seed": 123}

and writes one trial record to standard output. Log to standard error: standard output is the answer. Plain text as
output is enough; what stands in the record besides can be judged too.
"""

import json
import sys


def opening_hours(day: str) -> str:
    return "closed" if day in ("saturday", "sunday") else "9:00 to 17:00"


def answer(request: dict) -> dict:
    # Here you call your agent.
    day = request["input"]["day"]
    hours = opening_hours(day)
    # Agents do not answer the same way twice: this one is wrong once in fifty times. A seed
    # makes it do so again, which a real agent need not.
    if request["seed"] % 50 == 7:
        hours = "I do not know"
    return {
        "output": f"On {day}: {hours}",
        "steps": [
            {"action": "reason", "input_tokens": 40, "output_tokens": 8},
            {"action": "call_tool", "tool": "opening_hours", "arguments": {"day": day}, "output": hours},
            {"action": "respond", "input_tokens": 60, "output_tokens": 12},
        ],
        "cost_usd": 0.0004,
        "input_tokens": 100,
        "output_tokens": 20,
    }


if __name__ == "__main__":
    print(json.dumps(answer(json.loads(sys.stdin.readline()))))
