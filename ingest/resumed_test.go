package ingest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// codexRun is the log of a run of a thread, whose usage is the sum of the thread so far (openai/codex#17539).
func codexRun(thread, command string, input, output int) string {
	text := fmt.Sprintf(`{"type":"thread.started","thread_id":%q}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"i-1","type":"command_execution","command":%q,"exit_code":0}}
`, thread, command)
	if input == 0 {
		return text
	}
	return text + fmt.Sprintf(`{"type":"turn.completed","usage":{"input_tokens":%d,"output_tokens":%d}}
`, input, output)
}

// The logs of a thread and of its resumptions are one trial, in whatever order they come.
func TestCodexThreadsThatWereResumed(t *testing.T) {
	first, second := codexRun("th-1", "a", 3300, 33), codexRun("th-1", "b", 4600, 46)
	const call = "call_tool:command_execution"
	const joined = "threads that were resumed are joined with what the files before have of them"
	const later = "left out: threads that a later file names, too (1)"
	exec, resume := file(t, "exec.jsonl", first), file(t, "resume.jsonl", second)
	s := Open([]string{exec, resume}, unjudged)
	checkTold(t, s, "exec | "+call+" "+call+" | 4600 46 |  | ")
	checkNotes(t, s, exec+": 0 trials (codex); "+later, resume+": 1 trial (codex); "+joined)
	checkTold(t, Open([]string{resume, exec}, unjudged), "exec | "+call+" "+call+" | 4600 46 |  | ")
	// A copy counts once, and so does what a longer log repeats.
	copied, whole := file(t, "copy.jsonl", first+"\n"), file(t, "whole.jsonl", first+second)
	checkTold(t, Open([]string{exec, resume, copied}, unjudged), "exec | "+call+" "+call+" | 4600 46 |  | ")
	checkTold(t, Open([]string{exec, whole}, unjudged), "exec | "+call+" "+call+" | 4600 46 |  | ")
	// One that was cut off tells no tokens, and goes where its file stands.
	cut := file(t, "cut.jsonl", codexRun("th-1", "c", 0, 0))
	checkTold(t, Open([]string{exec, cut}, unjudged), "exec | "+call+" "+call+" | 3300 33 |  | ")
	// A file that names the thread for another reason says nothing of it.
	other := file(t, "other.jsonl", `{"type":"thread.started","thread_id":"th-2"}
{"type":"item.completed","item":{"id":"i-1","type":"mcp_tool_call","server":"s","tool":"t","arguments":{"thread_id":"th-1"}}}
`)
	checkTold(t, Open([]string{exec, other}, unjudged), "other | call_tool:mcp__s__t | 0 0 |  | ",
		"exec | "+call+" | 3300 33 |  | ")
	// What two logs of as many tokens say differently nobody can decide.
	conflict := file(t, "conflict.jsonl", codexRun("th-1", "d", 3300, 33))
	_, err := written(Open([]string{exec, conflict}, unjudged))
	if _, ok := errors.AsType[*repeatedError](err); !ok {
		t.Error(err)
	}
	alone := Open([]string{resume}, unjudged)
	checkTold(t, alone, "resume | "+call+" | 4600 46 |  | ")
	checkNotes(t, alone, resume+": 1 trial (codex); tokens are those of the whole thread: of earlier runs too, if this one "+
		"resumed it")
}

// The lines of a session of Claude Code 2.1.332 and of its sub-agent, which lie in two files, shortened.
const (
	claudeMain = `{"type":"user","uuid":"u-1","parentUuid":null,"sessionId":"s-1","isSidechain":false,"timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"ask"}}
{"type":"assistant","uuid":"u-2","parentUuid":"u-1","sessionId":"s-1","isSidechain":false,"timestamp":"2026-01-01T00:00:01Z","message":{"id":"m-1","role":"assistant","model":"m","content":[{"type":"tool_use","id":"c-1","name":"Agent","input":{}}],"usage":{"input_tokens":700,"output_tokens":11}}}
{"type":"user","uuid":"u-3","parentUuid":"u-2","sessionId":"s-1","isSidechain":false,"timestamp":"2026-01-01T00:00:05Z","toolUseResult":{"agentId":"a-1"},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c-1","content":"7"}]}}
{"type":"assistant","uuid":"u-4","parentUuid":"u-3","sessionId":"s-1","isSidechain":false,"timestamp":"2026-01-01T00:00:06Z","message":{"id":"m-2","role":"assistant","model":"m","content":[{"type":"text","text":"seven"}],"usage":{"input_tokens":900,"output_tokens":13}}}
`
	claudeHelper = `{"type":"user","uuid":"h-1","parentUuid":null,"sessionId":"s-1","agentId":"a-1","isSidechain":true,"timestamp":"2026-01-01T00:00:02Z","message":{"role":"user","content":"say 7"}}
{"type":"assistant","uuid":"h-2","parentUuid":"h-1","sessionId":"s-1","agentId":"a-1","isSidechain":true,"timestamp":"2026-01-01T00:00:03Z","message":{"id":"m-3","role":"assistant","model":"m","content":[{"type":"text","text":"7"}],"usage":{"input_tokens":800,"output_tokens":12}}}
`
	claudeCostState = `{"type":"cost-state","sessionId":"s-1","totalCostUSD":0.5,"modelUsage":{"m":{"inputTokens":2300,"cacheReadInputTokens":200,"outputTokens":40}},"hasUnknownModelCost":false}
`
)

// A session and the sub-agents in files of their own are one trial, in whatever order the files come.
func TestClaudeSessionsInSeveralFiles(t *testing.T) {
	const steps = "reason(700,11) call_tool:Agent respond(800,12) respond(900,13)"
	session, helper := file(t, "s-1.jsonl", claudeMain), file(t, "agent-1.jsonl", claudeHelper)
	const later = "left out: sessions that a later file names, too (1)"
	s := Open([]string{helper, session}, unjudged)
	checkTold(t, s, "s-1 | "+steps+" | 2400 36 | ask | seven")
	checkNotes(t, s, helper+": 0 trials (claude-session); "+later, session+": 1 trial (claude-session)")
	checkTold(t, Open([]string{session, helper}, unjudged), "s-1 | "+steps+" | 2400 36 | ask | seven")
	// Copies of both count once.
	checkTold(t, Open([]string{session, helper, file(t, "copy.jsonl", claudeMain+"\n"), file(t, "again.jsonl", claudeHelper+"\n")},
		unjudged), "s-1 | "+steps+" | 2400 36 | ask | seven")
	// What the event counts holds more than the messages; what is older than they are does not count.
	cost := file(t, "cost.jsonl", claudeMain+claudeCostState)
	checkTold(t, Open([]string{cost, helper}, unjudged), "cost | "+steps+" | 2500 40 | ask | seven")
	old := file(t, "old.jsonl", strings.Replace(claudeCostState, `2300`, `23`, 1)+claudeMain)
	checkTold(t, Open([]string{old, helper}, unjudged), "old | "+steps+" | 2400 36 | ask | seven")
	for text, want := range map[string]string{
		claudeCostState: `"cost_usd":0.5,`,
		strings.Replace(claudeCostState, `{"m":`, `{"h":{"inputTokens":9,"outputTokens":1,"costUSD":0.125},"m":`, 1): `"model_usage":[` +
			`{"model":"h","cost_usd":0.125,"input_tokens":9,"output_tokens":1},` +
			`{"model":"m","input_tokens":2500,"output_tokens":40,"cached_tokens":200}]`,
		strings.Replace(claudeCostState, `"hasUnknownModelCost":false`, `"hasUnknownModelCost":true`, 1): "",
	} {
		got, err := written(Open([]string{file(t, "c.jsonl", claudeMain+text)}, unjudged))
		if err != nil || !strings.Contains(got, want) || want == "" && strings.Contains(got, "cost_usd") {
			t.Errorf("%v, %s", err, got)
		}
	}
	alone := Open([]string{session}, unjudged)
	checkTold(t, alone, "s-1 | reason(700,11) call_tool:Agent respond(900,13) | 1600 24 | ask | seven")
	checkNotes(t, alone, session+": 1 trial (claude-session); sub-agents were started whose messages are in other files: "+
		"name the folder to read them, too")
	orphan := Open([]string{helper, file(t, "agent-2.jsonl", strings.ReplaceAll(claudeHelper, `"h-`, `"i-`)),
		file(t, "other.jsonl", strings.ReplaceAll(claudeMain, "s-1", "s-2"))}, unjudged)
	checkTold(t, orphan, "other | reason(700,11) call_tool:Agent respond(900,13) | 1600 24 | ask | seven")
	if n := orphan.Notes()[1]; skippedIn(n) != 1 {
		t.Error(n)
	}
}

// Events that versions add about the program are not refused where all is to be read.
func TestClaudeSessionEventsOfTheProgram(t *testing.T) {
	o := unjudged
	o.Strict = true
	for event, isKnown := range map[string]bool{
		`{"type":"api-request","sessionId":"s-1","id":"r-1"}`:                                      true,
		`{"type":"what-comes-next","sessionId":"s-1"}`:                                             true,
		`{"type":"what-comes-next","sessionId":"s-1","uuid":"u-9","parentUuid":"u-4"}`:             false,
		`{"type":"what-comes-next","sessionId":"s-1","message":{"role":"assistant","content":""}}`: false,
	} {
		if _, err := written(Open([]string{file(t, "s.jsonl", claudeMain+event+"\n")}, o)); (err == nil) != isKnown {
			t.Errorf("%s: %v", event, err)
		}
	}
}
