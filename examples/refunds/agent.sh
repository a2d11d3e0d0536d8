# It refunds what it is asked to, and breaks beyond 250.
read -r request
amount=$(printf '%s' "$request" | sed -n 's/.*Refund \([0-9]*\) EUR.*/\1/p; s/.*"amount":\([0-9]*\).*/\1/p')
outcome=pass
if [ "${amount:-0}" -gt 250 ]; then outcome=fail; fi
echo "{\"outcome\":\"$outcome\",\"cost_usd\":0.01,\"steps\":[
  {\"action\":\"call_tool\",\"tool\":\"refund\",\"arguments\":{\"amount\":${amount:-0}}}]}"
