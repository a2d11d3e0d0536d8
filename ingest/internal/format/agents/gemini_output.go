package agents

import "github.com/tribunal-dev/tribunal/ingest/internal/record"

// isGeminiOutput knows what gemini --output-format json prints, the answer alone:
//
//	{"session_id":"g-1","response":"There are 2.","stats":{"models":{"gemini-2.5-pro":{"api":{...},
//	  "tokens":{"prompt":1000,"candidates":10,"cached":400,"thoughts":0,...}}},"tools":{"totalCalls":1,...}}}
//	{"session_id":"g-1","error":{"type":"FatalTurnLimitedError","message":"...","code":53}}
//
// The session's id is written since version 0.20 or so.
func isGeminiOutput(n record.Node) bool {
	if n.Has("type") {
		return false
	}
	stats, failure := n.At("stats"), n.At("error")
	return stats.At("models").IsObject() && stats.At("tools").IsObject() ||
		failure.At("type").IsText() && failure.At("message").IsText() && n.Has("session_id")
}

// output makes the trial of a run of which the answer alone is known.
func (g *geminiCLI) output(n record.Node, line int) error {
	t := record.NewTrace(g.in, line)
	t.Steps = nil // which there were is not said
	t.ID = n.At("session_id").Text()
	t.SetTags("", n, "session_id")
	t.Output = record.RawText(n.At("response").Text())
	stats := n.At("stats")
	most := int64(-1)
	for name, m := range stats.At("models").Members() {
		tokens := m.At("tokens")
		written := record.Plus(tokens.At("candidates").Count(), tokens.At("thoughts").Count())
		t.AddTotals(record.Usage{
			Input: tokens.At("prompt").Count(), Output: written, Cached: tokens.At("cached").Count(),
		})
		if written.Value > most {
			t.Model, most = record.ValidText(name), written.Value
		}
	}
	t.SetTags("stats.tools", stats.At("tools"), "totalCalls", "totalFail")
	if failure := n.At("error"); failure.Exists() {
		geminiFailure(t, failure)
	}
	return g.in.EmitTrace(t)
}
