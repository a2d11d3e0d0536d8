#!/bin/sh
# An agent behind an address: what tribunal asks is posted to $AGENT_URL, and what comes
# back is the answer. It gets one line of JSON,
#
#   {"scenario":"weekday","input":{"day":"monday"},"trial":0,"seed":123}
#
# and answers with one trial record, or with plain text. Where AGENT_URL is not set, a demo
# answers in its place, so that you can see a run before yours listens.
read -r request
if [ -n "$AGENT_URL" ]; then
	printf '%s\n' "$request" | curl --silent --show-error --fail --max-time 50 \
		--header 'Content-Type: application/json' --data-binary @- "$AGENT_URL"
	exit
fi

day=$(printf '%s' "$request" | sed -n 's/.*"day":"\([a-z]*\)".*/\1/p')
case $day in
saturday | sunday) answer="closed" ;;
*) answer="9:00 to 17:00" ;;
esac
printf '{"steps":[{"action":"reason","input_tokens":40,"output_tokens":8},'
printf '{"action":"call_tool","tool":"opening_hours","arguments":{"day":"%s"},"output":"%s"},' "$day" "$answer"
printf '{"action":"respond","input_tokens":60,"output_tokens":12}],'
printf '"output":"On %s: %s","cost_usd":0.0004,"input_tokens":100,"output_tokens":20}\n' "$day" "$answer"
