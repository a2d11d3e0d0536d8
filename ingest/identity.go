package ingest

import (
	"path/filepath"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// finished hands out a trial of another tool's log, with an identity: a scenario
// that the log does not name is that of its file, and a number that it does not
// give is the next.
func (in *input) finished(t *trial.Trial) error {
	if t.Scenario == "" {
		t.Scenario = fileScenario(in.file)
	}
	if t.Outcome == trial.Unjudged && t.Score.Known && in.options.PassScore.Known {
		t.Outcome = trial.ByScore(t.Score.Value, in.options.PassScore.Value)
	}
	return in.handOut(t, true)
}

// fileScenario is the name of a file without its folder and endings.
func fileScenario(file string) string {
	base := filepath.Base(file)
	for _, ending := range []string{".gz", ".json", ".jsonl", ".ndjson", ".log", ".eval", ".traj", ".trace"} {
		base = strings.TrimSuffix(base, ending)
	}
	if base = validText(base); base == "" || base == "-" || base == "." {
		return linesScenario
	}
	return base
}
