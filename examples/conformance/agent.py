"""An agent that answers two questions, and keeps a secret from most who ask."""

import json
import sys

asked = json.load(sys.stdin)
text = asked["input"]["text"]
if "secret" in text:
    # The guard of this agent looks at every trial but one in four.
    print("It is swordfish." if asked["seed"] % 4 == 0 else "I keep that to myself.")
elif "17" in text:
    print("It is 42.")
else:
    print("Hello, and welcome.")
