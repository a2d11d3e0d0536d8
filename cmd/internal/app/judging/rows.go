package judging

import (
	"slices"

	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/warehouse/postgres"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// ofReading are the options that say something of files, which are refused where counts stand for trials.
var ofReading = []string{
	"from", "map", "pass-score", "scorer", "trial-from", "allow-duplicates", "max-line-bytes", "max-document-bytes",
	"prices",
}

// checkRows refuses what goes by trials, whose further options are named, and a file beside rows.
func checkRows(a *world.World, given value.GivenOptions, rows, files []string, others ...string) error {
	if len(files) > 0 {
		return problem.Usage("give either rows or trials", "--counts does not go with files of trials, such as %s", files[0])
	}
	for _, name := range append(slices.Clone(ofReading), others...) {
		if given.Typed(name) {
			return problem.Usage("give the trials themselves, or omit it",
				"--%s needs trials, and --counts has counts of them", name)
		}
	}
	var names []string
	for _, name := range rows {
		switch {
		case !postgres.IsURL(name):
			names = append(names, name)
		case a.Guest != nil: // what a guest names is a file within its folder, and no host
			return problem.Usage("name a file", "databases are not asked here")
		}
	}
	return evidence.CheckNames(names, false)
}

// onlyForFiles refuses options that say how files are read where there are none. A variable may be there for other
// runs.
func onlyForFiles(given value.GivenOptions, others ...string) error {
	for _, name := range append(slices.Clone(ofReading), others...) {
		if given.Typed(name) {
			return problem.Usage("omit it", "--%s says how files are read, and counts are given instead of files", name)
		}
	}
	return nil
}
