#!/bin/sh
# Stands for the agent: it gives one of its recorded trials of the scenario again, which the seed chooses. ANSWERS names
# the recording.
read -r request
scenario=$(printf '%s' "$request" | sed 's/.*"scenario":"\([a-z-]*\)".*/\1/')
seed=$(printf '%s' "$request" | sed 's/.*"seed":\([0-9]*\).*/\1/')
grep "\"scenario\":\"$scenario\"" "${ANSWERS:-baseline.jsonl}" | sed -n "$((seed % 15 + 1))p"
