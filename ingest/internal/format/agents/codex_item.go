package agents

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// item takes in an item of the conversation: of the Responses interface, or of Codex's own.
func (r *codexRollout) item(m record.Node) {
	switch kind := m.At("type").Text(); kind {
	case "message":
		r.message(m)
	case "reasoning":
		r.part()
		r.addText(&r.thoughts, codexThoughts(m))
	case "function_call", "custom_tool_call":
		r.call(record.Call{ID: m.At("call_id").Text(), Tool: codexTool(m), Arguments: m.Either("arguments", "input")})
	case "local_shell_call":
		id := m.Either("call_id", "id").Text()
		r.call(record.Call{ID: id, Tool: "local_shell", Arguments: m.At("action")})
	case "tool_search_call":
		r.call(record.Call{ID: m.At("call_id").Text(), Tool: "tool_search", Arguments: m.At("arguments")})
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		r.result(m.At("call_id").Text(), m.At("output"))
	case "tool_search_output":
		r.result(m.At("call_id").Text(), m.At("tools"))
	// The provider of the model makes these, and what the model says of them is another answer.
	case "web_search_call", "image_generation_call":
		r.part()
		step := r.AddEndedCall(record.Call{
			Tool: strings.TrimSuffix(kind, "_call"), Arguments: m.Either("action", "revised_prompt"),
		})
		if m.At("status").Text() == "failed" {
			step.Error = record.Failed
		}
		r.called = true
		r.endAnswer()
	case "agent_message":
		r.notes.Pass("messages between agents")
	// A state of the files, summaries of the history, and what the program did not know.
	case "ghost_snapshot", "compaction", "compaction_summary", "context_compaction", "compaction_trigger", "compacted",
		"other":
	default:
		r.notes.Skip(record.UnknownMessage)
	}
}

// codexThoughts is the summary of what the model thought, or the thoughts themselves.
func codexThoughts(m record.Node) string {
	var texts []string
	for _, part := range append(m.At("summary").List(), m.At("content").List()...) {
		if text := part.At("text").Words(); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// message takes in a message of either side.
func (r *codexRollout) message(m record.Node) {
	switch m.At("role").Text() {
	case "assistant":
		r.part()
		r.addText(&r.texts, m.At("content").Speech())
	case "user":
		if asked := codexAsked(m); asked.Length() > 0 {
			r.endAnswer()
			r.SetInput(asked)
		}
	case "developer", "system":
	default:
		r.notes.Skip(record.UnknownRole)
	}
}

// codexAsked returns the parts of a message that a person wrote. Codex tells the model of the
// environment, the instructions of a project and what was aborted in messages of the role user.
func codexAsked(m record.Node) record.Node {
	var asked []any
	if m.At("role").Text() != "user" || m.At("type").Text() != "message" {
		return record.Node{}
	}
	kinds := m.At("internal_chat_message_metadata_passthrough", "content_item_kinds").List()
	for i, part := range m.At("content").List() {
		byPerson := !codexContext().MatchString(part.At("text").Words())
		if i < len(kinds) { // newer versions say who it is from
			byPerson = strings.HasPrefix(kinds[i].Text(), "user.")
		}
		if byPerson {
			asked = append(asked, part.Value)
		}
	}
	if text := m.At("content"); text.IsText() && !codexContext().MatchString(text.Text()) {
		asked = []any{text.Value}
	}
	return record.Node{Value: asked}
}

// codexContext is how the parts begin that Codex writes.
var codexContext = lazy.Regexp(`^\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|turn_aborted|skill|` +
	`skills_instructions|apps_instructions|plugins_instructions|user_shell_command|subagent_notification|` +
	`permissions instructions|collaboration_mode|personality_spec|model_switch|hook_prompt|user_action)\b|` +
	`# AGENTS\.md instructions)`)

// codexTool is the name by which the model called a tool. Tools of MCP servers are named as by
// codex exec --json, also where the name of the server stands apart.
func codexTool(m record.Node) string {
	name, space := m.At("name").Text(), m.At("namespace").Text()
	if space == "" || strings.HasPrefix(name, space) {
		return name
	}
	return strings.TrimSuffix(space, "__") + "__" + name
}

// call adds a call that the answer makes.
func (r *codexRollout) call(c record.Call) {
	r.part()
	r.AddCall(c)
	r.called = true
}

// result completes a call. What the model says next is another answer.
func (r *codexRollout) result(id string, output record.Node) {
	r.endAnswer()
	shown, end := codexOutput(output)
	step := r.SetResult(id, "", shown)
	if step == nil {
		return
	}
	// The program knows how the call ended better than the text that the model is shown.
	if known, ok := r.ends[id]; ok {
		end.failure = known.failure
		if known.seconds.Known {
			end.seconds = known.seconds
		}
	}
	step.DurationSeconds = end.seconds
	if end.failure != "" {
		step.Error = end.failure
	}
}

// codexOutput takes apart what the model is shown of a result:
//
//	{"output":"...","metadata":{"exit_code":1,"duration_seconds":0.2}}, as a string
//	{"content":"...","success":false}
//	Exit code: 1, Wall time: 0.2 seconds and so on in lines of their own before Output:
//	what a tool of an MCP server returned, with isError
//	the text alone, which is that of an error of Codex itself where it begins as such
func codexOutput(output record.Node) (shown record.Node, end codexEnd) {
	shown = output
	if output.IsObject() && output.Has("content") {
		shown = output.At("content")
		if success := output.At("success").Truth(); success.Known && !success.Value {
			end.failure = record.Failed
		}
	}
	inner := shown.Parsed()
	switch {
	case inner.At("metadata").IsObject() && inner.Has("output"):
		shown = inner.At("output")
		end.seconds = inner.At("metadata", "duration_seconds").Amount()
		if code := inner.At("metadata", "exit_code"); nonzero(code) {
			end.failure = exitCode(code.Text())
		}
	case inner.Either("isError", "is_error").IsTrue():
		text, _ := inner.At("content").BlockText()
		end.failure = record.StepError(text)
	case shown.IsText():
		text := shown.Text()
		if head, rest, ok := codexHead(text); ok {
			shown, end = record.Node{Value: rest}, head
		} else if codexFailure().MatchString(text) {
			end.failure = record.StepError(text)
		}
	}
	return shown, end
}

// codexHeads are how the lines begin that Codex puts before the output of a command. One that
// ends in a number or a time has it after these words.
var codexHeads = []string{"Chunk ID: ", "Wall time: ", "Process exited with code ", "Process running with session ID ",
	"Original token count: ", "Exit code: ", "Total output lines: ", "Warning: "}

// codexHead reads those lines, and returns the output without them. ok is false if there are
// none.
func codexHead(text string) (head codexEnd, output string, ok bool) {
	for rest := text; ; {
		line, after, more := strings.Cut(rest, "\n")
		if line == "Output:" {
			return head, after, ok
		}
		i := slices.IndexFunc(codexHeads, func(words string) bool { return strings.HasPrefix(line, words) })
		if i < 0 || !more {
			return codexEnd{}, text, false
		}
		value := strings.TrimPrefix(line, codexHeads[i])
		switch codexHeads[i] {
		case "Wall time: ":
			head.seconds = record.Node{Value: strings.TrimSuffix(value, " seconds")}.Amount()
		case "Exit code: ", "Process exited with code ":
			if nonzero(record.Node{Value: value}) {
				head.failure = exitCode(value)
			}
		}
		rest, ok = after, true
	}
}

// codexFailure is how Codex begins what it tells the model of a call that it could not make.
var codexFailure = lazy.Regexp(`^(?:unsupported (?:custom tool )?call: |failed to parse function arguments: |` +
	`aborted(?:$| by )|` +
	`exec_command failed|write_stdin failed|apply_patch verification failed: |execution error: |tool call error: |err: |` +
	`(?:exec command|patch) rejected|rejected by user|command timed out after |failed in sandbox|` +
	`failed for \x60|invalid patch|unable to locate image|user (?:rejected|cancelled) )`)
