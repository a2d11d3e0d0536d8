#!/bin/sh
# Here you call your agent. It gets one line of JSON on standard input,
#
#   {"scenario":"...","input":{...},"trial":0,"seed":123}
#
# and what it prints is its answer: plain text, or one trial record with cost_usd, turns and the like.
echo "agent.sh: write here how your agent is called" >&2
exit 1
