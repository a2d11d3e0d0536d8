package ingest

import "testing"

// The log has local time, which tells how long a run took and not when it began.
func TestCrewAILog(t *testing.T) {
	entry := func(time, name, status, more string) string {
		return `{"timestamp":"2026-08-21 10:00:` + time + `","task_name":"` + name + `","task":"do ` + name +
			`","agent":"x","status":"` + status + `"` + more + `}`
	}
	s := streamOf(`[`+entry("00", "a", "started", "")+`,`+entry("05", "a", "completed", `,"output":"A"`)+`,`+entry("05",
		"b", "started", "")+`,`+entry("07", "b", "completed", `,"output":"B"`)+
		`,`+entry("20", "a", "started", "")+`,`+entry("21", "a", "paused", "")+`]`, unjudged)
	checkWritten(t, s, `
1 {"scenario":"f","trial":0,"duration_s":7,"steps":[{"action":"respond","output":"A","duration_s":5},{"action":"respond","output":"B","duration_s":2}],"input":"do a","output":"B"}
1 {"scenario":"a","trial":0,"duration_s":1,"steps":[],"input":"do a"}`)
	checkNotes(t, s, "f: 2 trials (crewai); left out: tasks of unknown status (1); tasks that began do not end: the log "+
		"is cut off")
}

func TestCrewAIDialects(t *testing.T) {
	checkDialects(t, "crewai", true, []dialect{
		{"outputs one a line, with what was said",
			`{"raw":"x","tasks_output":[{"name":"a","raw":"y","agent":"z","messages":[{"role":"user","content":"q"},` +
				`{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"r"},{"role":"assistant","content":"y"}],` +
				`"tool_failures":[{}]}],"token_usage":{"prompt_tokens":5,"completion_tokens":2}}` + "\n" +
				`{"raw":"x","tasks_output":[{"name":"a","raw":"y"},{"name":"b","raw":"z"}],"token_usage":{"prompt_tokens":0,"completion_tokens":0}}`,
			"a: reason f respond (5, 2)\nf: respond respond", "; left out: failures of tools without their call (1)"},
		{"a flow of crews that is cut off",
			`{"timestamp":"2026-08-21T10:00:00Z","type":"flow_started","event_id":"1","flow_name":"w"}` + "\n" +
				`{"timestamp":"2026-08-21T10:00:01Z","type":"crew_kickoff_started","event_id":"2","parent_event_id":"1","crew_name":"c"}` + "\n" +
				`{"timestamp":"2026-08-21T10:00:02Z","type":"tool_usage_started","event_id":"3","tool_name":"f","tool_args":{}}` +
				"\n" +
				`{"timestamp":"2026-08-21T10:00:02Z","type":"tool_usage_finished","event_id":"4","tool_name":"f","tool_args":{},"output":"","failure":"denied"}` + "\n" +
				`{"timestamp":"2026-08-21T10:00:03Z","type":"crew_kickoff_completed","event_id":"5","parent_event_id":"2"}` + "\n" +
				`{"timestamp":"2026-08-21T10:00:03Z","type":"tool_selection_error","event_id":"6"}`,
			"w: f!", "; left out: errors of tools beside their calls (1); the events end before the crew does: the log is cut " +
				"off"},
	})
}

func FuzzCrewAI(f *testing.F) {
	seed(f, "crewai", `{"raw":"","tasks_output":[{}]}`, `[{"timestamp":"","task":"","agent":"","status":"completed"}]`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "crewai") })
}
