package ingest

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/trial"
)

// sample returns the name of a file that another tool wrote, or skips the test where
// the recordings are not there.
func sample(t testing.TB, parts ...string) string {
	t.Helper()
	return refdata.Recorded(t, parts...)
}

// The outcomes are counted by hand in the files of other tools; those of the
// recorded agents are what their authors published.
func TestSamples(t *testing.T) {
	sample(t, "formats", "README.md") // one skip for all
	for _, c := range []struct {
		folder, name                        string
		format                              Format
		passes, fails, errors, skipped, all int // all scenarios
	}{
		{"formats", "junit-gotest.xml", "junit", 2, 0, 0, 0, 2},
		{"formats", "junit-pytest.xml", "junit", 2, 1, 1, 1, 2},
		{"formats", "junit-nested.xml", "junit", 2, 2, 1, 0, 3},
		{"formats", "go-test.jsonl", "gotest", 4, 2, 0, 2, 3},
		{"trials", "tau-airline-gpt-4o.jsonl.gz", Trials, 84, 116, 0, 0, 50},
		{"trials", "retail-gemini-3-flash-base.jsonl.gz", Trials, 89, 21, 4, 0, 114},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Open([]string{sample(t, c.folder, c.name)}, Options{})
			outcomes := map[trial.Outcome]int{}
			scenarios := map[string]bool{}
			for x, err := range s.Trials(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				outcomes[x.Outcome]++
				scenarios[x.Scenario] = true
			}
			n := s.Notes()[0]
			if n.Format != c.format || skippedIn(n) != c.skipped || outcomes[trial.Pass] != c.passes ||
				outcomes[trial.Fail] != c.fails || outcomes[trial.Error] != c.errors || len(scenarios) != c.all {
				t.Errorf("%v, %d scenarios, %s", outcomes, len(scenarios), n)
			}
		})
	}
}

// What no format here is must be refused, never read as something else.
func TestSamplesOfOtherFormats(t *testing.T) {
	sample(t, "formats", "README.md") // one skip for all
	names, err := filepath.Glob(filepath.Join(filepath.Dir(sample(t, "formats", "README.md")), "*"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"junit-gotest.xml": true, "junit-pytest.xml": true, "junit-nested.xml": true,
		"go-test.jsonl":    true,
		"inspect-log.json": true, "inspect-log-tool-errors.json": true, "inspect-deflate.eval": true,
		"inspect-zstd.eval":      true,
		"promptfoo-results.json": true, "pytest-json-report.json": true, "ctrf.json": true, "tau-bench-results.json": true,
		"tau2-results.json":    true,
		"atif-trajectory.json": true, "harbor-trial-result.json": true, "terminal-bench-results.json": true,
		"swe-agent.traj": true, "mini-swe-agent.traj.json": true,
		"claude-code-stream-json.jsonl": true, "claude-code-action-execution-file.json": true,
		"claude-code-session.jsonl": true,
		"codex-exec.jsonl":          true, "gemini-cli-stream-json.jsonl": true, "anthropic-messages.json": true,
		"mcp-jsonrpc.jsonl":     true,
		"mcp-log-wrapped.jsonl": true, "bedrock-agent-trace.jsonl": true,
	}
	for _, s := range frameworkSamples {
		known[s.name] = true
	}
	for _, name := range names {
		if base := filepath.Base(name); known[base] || strings.HasPrefix(base, "otlp-") ||
			strings.HasPrefix(base, "langfuse-") {
			continue
		}
		if got, err := written(Open([]string{name}, Options{})); err == nil || got != "" {
			t.Errorf("%s: %v, %s", filepath.Base(name), err, got)
		}
	}
}

// skippedIn is the number of records that gave no trial.
func skippedIn(n Notes) (count int) {
	for _, s := range n.Skipped {
		count += s.Count
	}
	return count
}
