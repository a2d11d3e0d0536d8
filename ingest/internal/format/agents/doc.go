// Package agents reads what agents for the command line and hosted agents write: Claude
// Code, Codex, Gemini CLI, Qwen Code, Copilot, OpenCode, Amazon Bedrock Agents, and logs of the Model Context Protocol.
//
// Each decoder is a file of its name: claude_stream.go (what claude prints), claude_session.go
// (what it keeps in its folder); codex.go (what codex exec prints), codex_session.go and
// codex_item.go (what it keeps); gemini_cli.go and gemini_output.go (what gemini prints),
// gemini_session.go (what it keeps). bedrock.go tells sessions apart,
// bedrock_trace.go reads the traces in them and bedrock_call.go the calls; mcp.go pairs
// requests with responses, mcp_line.go finds the messages in the lines of any log.
//
// All of them are streams of events in the order of time, so that one pass suffices: an
// event opens a trial, or continues the open one, and a [record.Trace] grows by steps.
// What differs is where a trial ends (a result, the next init, another session id), and
// whether figures are those of a turn or the sums so far ([record.RunningTotal]).
//
// None of these logs says whether the task was done: their trials are unjudged, or errors
// where the program itself failed.
package agents
