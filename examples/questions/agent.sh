#!/bin/sh
# An agent that can reckon: it prints what the question comes to, and greets where it is greeted.
read -r request
question=$(printf '%s' "$request" | sed -n 's/.*"question":"\([^"]*\)".*/\1/p')
case $question in
[0-9]*) echo "$(($question))" ;;
*) echo "Hello. What shall I reckon?" ;;
esac
