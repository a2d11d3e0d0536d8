package suite

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const configured = `
version: 1
name: tiny
agent:
  command: [./agent, --model, small, --key=s3cret-key]
  env: {MODEL: small, API_KEY: s3cret-key, NOTE: " a", ARROW: a -> b}
  env_allow: [PATH]
  redact: [API_KEY, HOME]
  timeout: 60s
  output_file: out-{id}.json
  working_dir: work
  infrastructure: [timeout]
test: {threshold: 0.9, max_trials: 60, prior: 19/20}
limits: none
seed: 7
scenarios:
  - {name: one}
  - {name: two, test: {delta: 0.05}}
  - {name: "a: b", trials: 50}
`

// parsed is the suite of a text.
func parsed(t *testing.T, text string) *Suite {
	t.Helper()
	s, err := Parse("tribunal.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The digest of the key is that of sha256sum.
func TestAgentSettings(t *testing.T) {
	want := []string{
		`agent.command: ["./agent","--model","small","--key=[hidden, sha256:817b8239]"]`,
		"agent.env.API_KEY: hidden, sha256:817b8239",
		`agent.env.ARROW: "a -> b"`,
		"agent.env.MODEL: small",
		`agent.env.NOTE: " a"`,
		`agent.env_allow: ["PATH"]`,
		"agent.working_dir: work",
		"agent.timeout: 1m0s",
		"agent.output: auto",
		"agent.output_file: out-{id}.json",
		"agent.max_output_bytes: 16777216",
		`agent.infrastructure: ["timeout"]`,
		"order: interleaved",
		"seed: 7",
		"test.threshold: 0.9",
		"test.delta: 0.1",
		"test.alpha: 0.05",
		"test.beta: 0.1",
		"test.max_trials: 60",
		"test.design: optimal",
		"test.prior: 19/20",
		"test.by: scenario",
		"scenarios.two.test.delta: 0.05",
		`scenarios."a: b".trials: 50`,
	}
	if diff := cmp.Diff(want, parsed(t, configured).AgentSettings()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestChanged(t *testing.T) {
	before := parsed(t, configured).AgentSettings()
	if got := Changed(before, before); got == nil || len(got) != 0 {
		t.Errorf("nothing changed, and it says %q", got)
	}
	for _, c := range []struct {
		old, new string
		want     []string
	}{
		{"--model, small", "--model, large", []string{
			`agent.command: ["./agent","--model","small","--key=[hidden, sha256:817b8239]"] -> ` +
				`["./agent","--model","large","--key=[hidden, sha256:817b8239]"]`}},
		{"MODEL: small", "MODEL: large", []string{"agent.env.MODEL: small -> large"}},
		{"MODEL: small", "MODEL: ''", []string{`agent.env.MODEL: small -> ""`}},
		{"MODEL: small", "REGION: eu",
			[]string{"agent.env.MODEL: small -> (none)", "agent.env.REGION: (none) -> eu"}},
		{"API_KEY: s3cret-key", "API_KEY: another", []string{
			`agent.command: ["./agent","--model","small","--key=[hidden, sha256:817b8239]"] -> ` +
				`["./agent","--model","small","--key=s3cret-key"]`,
			"agent.env.API_KEY: hidden, sha256:817b8239 -> hidden, sha256:ae448ac8"}},
		{"seed: 7", "seed: 8", []string{"seed: 7 -> 8"}},
		{"timeout: 60s", "timeout: 2m", []string{"agent.timeout: 1m0s -> 2m0s"}},
		{", max_trials: 60", "", []string{"test.max_trials: 60 -> (none)"}},
		{"trials: 50", "trials: 60", []string{`scenarios."a: b".trials: 50 -> 60`}},
		{"delta: 0.05", "beta: 0.2", []string{
			"scenarios.two.test.delta: 0.05 -> (none)", "scenarios.two.test.beta: (none) -> 0.2"}},
		{"redact: [API_KEY, HOME]", "retries: {infrastructure: 3}\n  redact: [API_KEY]", []string{}},
	} {
		after := parsed(t, strings.Replace(configured, c.old, c.new, 1)).AgentSettings()
		if diff := cmp.Diff(c.want, Changed(before, after)); diff != "" {
			t.Errorf("%s -> %s (-want +got):\n%s", c.old, c.new, diff)
		}
	}
}

// Of two long values that begin alike, the part is shown in which they differ.
func TestChangedShowsTheDifferenceOfLongValues(t *testing.T) {
	long := strings.Repeat("é", 300)
	got := Changed([]string{"k: " + long + "one" + long}, []string{"k: " + long + "two" + long})
	if len(got) != 1 || !strings.Contains(got[0], "one") || !strings.Contains(got[0], "two") || len(got[0]) > 400 ||
		strings.Contains(got[0], `\x`) {
		t.Errorf("%q", got)
	}
}
