package ingest

import (
	"errors"
	"fmt"
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
	checkNotes(t, alone, resume+": 1 trial (codex); tokens are those of the thread so far, with those of runs before that it "+
		"goes on from")
}
