package ingest

import (
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// Actions are listed, or stand in the text as the only block of code. A message that
// asks for another answer is no result.
func TestMiniSWEAgent(t *testing.T) {
	s := Open([]string{"testdata/mini-swe-agent.json"}, Options{Options: trial.Options{Unjudged: true}})
	checkWritten(t, s, `
1 {"scenario":"repo__1","trial":0,"started_at":"2026-02-26T09:25:37.5Z","duration_s":2.5,"model":"m-1-2026","cost_usd":0.5,"input_tokens":100,"output_tokens":10,"steps":[{"action":"reason","output":"Two at once.","cost_usd":0.25,"input_tokens":100,"output_tokens":10,"model":"m-1-2026"},{"action":"call_tool","tool":"bash","arguments":{"command":"ls"},"output":"<returncode>0</returncode>\n<output>\ny\n</output>"},{"action":"call_tool","tool":"bash","arguments":{"command":"cat x"},"output":"no x","error":"exit code 2"},{"action":"reason","output":"`+"```"+`bash\nls y\n`+"```"+`"},{"action":"call_tool","tool":"bash","arguments":{"command":"ls y"},"output":"<returncode>1</returncode>\n<output>\nboom\n</output>","error":"exit code 1"},{"action":"respond","output":"`+"```"+`bash\none\n`+"```"+`\n`+"```"+`bash\ntwo\n`+"```"+`"}],"input":"Fix it.","output":"`+"```"+`bash\none\n`+"```"+`\n`+"```"+`bash\ntwo\n`+"```"+`","tags":{"info.exit_status":"LimitsExceeded","info.mini_version":"2.0.0"}}`)
	checkNotes(t, s, "testdata/mini-swe-agent.json: 1 trial (mini-swe-agent); left out: results without their call (1)")
	if got := s.Notes()[0].Format; got != "mini-swe-agent" {
		t.Errorf("format %v", got)
	}
}

func FuzzMiniSWEAgent(f *testing.F) {
	seed(f, "mini-swe-agent.json", `{"info":{"mini_version":"1","exit_status":"RateLimitError"},"messages":[{"role":"user","content":"<returncode>1</returncode>"}]}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "mini-swe-agent") })
}
