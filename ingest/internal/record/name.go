package record

import (
	"path/filepath"
	"strings"
)

// AnyScenario is the scenario of trials that nothing names one for.
const AnyScenario = "all"

// FileScenario is the name of a file without its folder and endings.
func FileScenario(file string) string {
	base := filepath.Base(file)
	for _, ending := range []string{".gz", ".zst", ".bz2", ".json", ".jsonl", ".ndjson", ".log", ".eval", ".traj",
		".trace", ".tap", ".sse", ".txt"} {
		base = strings.TrimSuffix(base, ending)
	}
	if base = ValidText(base); base == "" || base == "-" || base == "." {
		return AnyScenario
	}
	return base
}
