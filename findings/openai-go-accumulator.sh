#!/usr/bin/env bash
# openai-go 3.99.0, ChatCompletionAccumulator, beside the stream of the client in JavaScript, openai 7.59.0: streams of
# servers that tell the usage so far in every chunk (as vLLM does where it is asked for continuous_usage_stats), and of
# gateways that give every chunk an ID of its own.
#
# Guessed: the last usage counts, and chunks are put together whatever their IDs are. Seen: the accumulator of Go adds
# the usages of all chunks up, so that 12 tokens out are 22, and 100 in are 300; that of JavaScript keeps the last. A
# chunk with another ID is left out in Go: AddChunk says false, and the text ends after the first chunk, without an
# error. In JavaScript it ends the answer before, which has no finish_reason and is an error.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --no-package-lock --loglevel=error openai@7.59.0 >/dev/null
cat >go.mod <<'EOF'
module ask

go 1.26

require github.com/openai/openai-go/v3 v3.99.0
EOF
cat >ask.go <<'EOF'
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/openai/openai-go/v3"
)

func main() {
	var all openai.ChatCompletionAccumulator
	taken := []bool{}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var chunk openai.ChatCompletionChunk
		if err := json.Unmarshal(lines.Bytes(), &chunk); err != nil {
			panic(err)
		}
		taken = append(taken, all.AddChunk(chunk))
	}
	fmt.Printf("Go:         %q, %d in, %d out, taken %v\n", all.Choices[0].Message.Content, all.Usage.PromptTokens,
		all.Usage.CompletionTokens, taken)
}
EOF
cat >ask.mjs <<'EOF'
import { readFileSync } from 'node:fs'
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream'
const stream = ChatCompletionStream.fromReadableStream(new Blob([readFileSync(0)]).stream())
const said = await stream.finalChatCompletion().then(
  ({ choices, usage }) =>
    `${JSON.stringify(choices[0].message.content)}, ${usage.prompt_tokens} in, ${usage.completion_tokens} out`,
  (error) => `an error, ${error.message}`,
)
console.log(`JavaScript: ${said}`)
EOF
# chunks prints a stream whose chunks have these three IDs.
chunks() {
  local text=(one two three) finish=(null null '"stop"') out=(3 7 12) i
  for i in 0 1 2; do
    printf '{"id":"%s","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"%s "},"finish_reason":%s}],"usage":{"prompt_tokens":100,"completion_tokens":%s,"total_tokens":%s}}\n' \
      "${@:i+1:1}" "${text[i]}" "${finish[i]}" "${out[i]}" "$((100 + out[i]))"
  done
}
export GOFLAGS=-mod=mod
go build -o ask . 2>/dev/null
{
  echo "one ID:"
  chunks a a a | ./ask
  chunks a a a | node ask.mjs
  echo "an ID for each chunk:"
  chunks a b c | ./ask
  chunks a b c | node ask.mjs
} | tee seen

diff - seen <<'EOF' || { echo "they do something else now"; exit 1; }
one ID:
Go:         "one two three ", 300 in, 22 out, taken [true true true]
JavaScript: "one two three ", 100 in, 12 out
an ID for each chunk:
Go:         "one ", 100 in, 3 out, taken [true false false]
JavaScript: an error, missing finish_reason for choice 0
EOF
