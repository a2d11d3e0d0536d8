"""A model that is scripted: it mends some functions and breaks others, as a random walk that drifts upwards.

It reads the task as JSON on its standard input, and prints an answer with a fenced block, with what that took. Given the
same attempt and seed it answers the same.
"""

import json
import os
import random
import re
import sys
import time

GOOD = {
    "discount": '''def discount(items, code):
    if code is None:
        return 0
    return subtotal(items) * {"TEN": 10}[code] // 100
''',
    "shipping": '''def shipping(amount, country):
    if amount >= 5000:
        return 0
    return 490 if country == "de" else 990
''',
    "total": '''def total(items, code=None, country="de"):
    amount = subtotal(items) - discount(items, code)
    return amount + shipping(subtotal(items), country)
''',
    "parse": '''def parse(line):
    name, quantity, price = (part.strip() for part in line.split(","))
    if int(quantity) < 0:
        raise ValueError(line)
    return {"name": name, "quantity": int(quantity), "price": int(price)}
''',
    "receipt": '''def receipt(items, code=None, country="de"):
    lines = ["%d x %s: %.2f" % (i["quantity"], i["name"], i["quantity"] * i["price"] / 100) for i in items]
    if code:
        lines.append("discount: -%.2f" % (discount(items, code) / 100))
    return "\\n".join(lines + ["total: %.2f" % (total(items, code, country) / 100)])
''',
}

BROKEN = {
    "subtotal": '''def subtotal(items):
    return sum(item["price"] for item in items)
''',
    "shipping": '''def shipping(amount, country):
    return 490
''',
    "parse": '''def parse(line):
    name, quantity, price = line.split(";")
    return {"name": name, "quantity": int(quantity), "price": int(price)}
''',
}


def replaced(code, name, text):
    return re.sub(r"def %s\(.*?(?=\n\n\ndef |\Z)" % name, lambda _: text.rstrip(), code, flags=re.S)


def main():
    task = json.load(sys.stdin)
    draw = random.Random("%s %s %s" % (task["seed"], task["stage"], task["attempt"]))
    if task["stage"] == "review":
        return "CLEAN"
    code = task["files"]["service.py"]
    if os.environ.get("MODEL_EDITS_TESTS") == str(task["attempt"]):
        return "```python tests/test_service.py\ndef test_all():\n    pass\n```"
    for name in draw.sample(sorted(GOOD), 2):
        code = replaced(code, name, GOOD[name])
    if draw.random() < 0.4:  # what was right before is written anew, and is wrong
        name = draw.choice(sorted(BROKEN))
        code = replaced(code, name, BROKEN[name])
    if draw.random() < 0.1:
        return "Here is the mended version:\n\n```python service.py\n%s\n" % code[: len(code) // 2] + "def (\n```"
    return "Here it is.\n\n```python service.py\n%s```\n" % (code.rstrip() + "\n")


time.sleep(float(os.environ.get("MODEL_SECONDS", "0")))
text = main()
print(json.dumps({"text": text, "input_tokens": 1500, "output_tokens": len(text) // 4}))
