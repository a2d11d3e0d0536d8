package ingest

import (
	"path/filepath"
	"strings"
)

// anyScenario is the scenario of trials that nothing names one for.
const anyScenario = "all"

// fileScenario is the name of a file without its folder and endings.
func fileScenario(file string) string {
	base := filepath.Base(file)
	for _, ending := range []string{".gz", ".json", ".jsonl", ".ndjson", ".log", ".eval", ".traj", ".trace"} {
		base = strings.TrimSuffix(base, ending)
	}
	if base = validText(base); base == "" || base == "-" || base == "." {
		return anyScenario
	}
	return base
}
