// A demo agent: it answers questions about opening hours, and now and then gets one
// wrong. It reads one line of JSON from standard input,
//
//   {"scenario":"weekday","input":{"day":"monday"},"trial":0,"seed":123}
//
// and writes one trial record to standard output. Log to standard error: standard output is
// the answer. Plain text as output is enough; what stands in the record besides can be judged too.
import { readFileSync } from "node:fs";

const openingHours = (day) => (["saturday", "sunday"].includes(day) ? "closed" : "9:00 to 17:00");

// Here you call your agent.
async function answer({ input: { day }, seed }) {
  // Agents do not answer the same way twice: this one is wrong once in fifty times. A seed
  // makes it do so again, which a real agent need not.
  const hours = seed % 50 === 7 ? "I do not know" : openingHours(day);
  return {
    output: `On ${day}: ${hours}`,
    steps: [
      { action: "reason", input_tokens: 40, output_tokens: 8 },
      { action: "call_tool", tool: "opening_hours", arguments: { day }, output: hours },
      { action: "respond", input_tokens: 60, output_tokens: 12 },
    ],
    cost_usd: 0.0004,
    input_tokens: 100,
    output_tokens: 20,
  };
}

console.log(JSON.stringify(await answer(JSON.parse(readFileSync(0, "utf8")))));
