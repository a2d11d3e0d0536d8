#!/bin/sh
# A demo agent: it answers questions about opening hours, and now and then gets one
# wrong. It reads one line of JSON from standard input,
#
#   {"scenario":"weekday","input":{"day":"monday"},"trial":0,"seed":123}
#
# and writes one trial record to standard output. Your agent may be any program in
# any language; plain text as output is enough.
read -r request
day=$(printf '%s' "$request" | sed -n 's/.*"day":"\([a-z]*\)".*/\1/p')
seed=$(printf '%s' "$request" | sed -n 's/.*"seed":\([0-9]*\).*/\1/p')

case $day in
saturday | sunday) answer="closed" ;;
*) answer="9:00 to 17:00" ;;
esac

# Agents do not answer the same way twice: this one is wrong once in fifty times. A seed
# makes it do so again, which a real agent need not.
if [ $((seed % 50)) -eq 7 ]; then
	answer="I do not know"
fi

printf '{"steps":[{"action":"reason","input_tokens":40,"output_tokens":8},'
printf '{"action":"call_tool","tool":"opening_hours","arguments":{"day":"%s"},"output":"%s"},' "$day" "$answer"
printf '{"action":"respond","input_tokens":60,"output_tokens":12}],'
printf '"output":"On %s: %s","cost_usd":0.0004,"input_tokens":100,"output_tokens":20}\n' "$day" "$answer"
