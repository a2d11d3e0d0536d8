"""An agent that answers what is left of a budget after some expenses. A script stands for its model: what its prompt asks for
makes it slip less often, and a longer prompt costs more."""

import json
import os
import random
import sys

# How often a prompt with these words in it lets a slip happen, for an easy question; of a hard one twice as often.
SLIPS = {"one step at a time": 0.25, "for example": 0.55, "only if you are certain": 1.3}

prompt = open(os.environ["PROMPT"]).read()
slip = 0.16
for words, share in SLIPS.items():
    if words in prompt.lower():
        slip *= share

for line in sys.stdin:
    request = json.loads(line)
    budget, expenses = request["input"]["budget"], request["input"]["expenses"]
    rng = random.Random(f"{request['seed']} {len(prompt)}")
    left = budget - sum(expenses)
    if rng.random() < slip * (2 if len(expenses) > 2 else 1):
        left += rng.choice([-10, 10, expenses[0]])
    print(
        json.dumps({"output": f"{left} euros are left", "steps": [{"action": "respond"}], "cost_usd": round(2e-6 * len(prompt), 6)}),
        flush=True,
    )
