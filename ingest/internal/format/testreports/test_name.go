package testreports

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// The number of a trial in the name of a test: test[trial3], test[gpt-4o-trial3], test[trial3-gpt-4o],
// and test[3-5] or test[gpt-4o-3-5], the third of five runs of pytest-repeat.
var (
	trialSuffix  = lazy.Regexp(`^(.*)\[(?:(.*)-)?trial[-_= ]?(\d{1,9})(?:-(.*))?\]$`)
	repeatSuffix = lazy.Regexp(`^(.*)\[(?:(.*)-)?(\d{1,9})-(\d{1,9})\]$`)
	numberSuffix = lazy.Regexp(`^(.*)\[(\d{1,9})\]$`)
)

// scenarioOf returns the scenario of a testcase, and the number of the trial if
// its name has one. A test without a class is known by its suite.
// In n[3-5], n counts from 1 and the last is at least 2: any other pair of numbers is taken
// for parameters of the test. Nine digits fit an int.
func scenarioOf(class, name, suite string) (scenario string, index trial.Optional[int]) {
	parameters := ""
	if m := trialSuffix().FindStringSubmatch(name); m != nil {
		name, parameters, index = m[1], strings.Trim(m[2]+"-"+m[4], "-"), record.WholeNumber(m[3])
	} else if m := repeatSuffix().FindStringSubmatch(name); m != nil {
		i, n := record.WholeNumber(m[3]), record.WholeNumber(m[4])
		if 1 <= i.Value && i.Value <= n.Value && n.Value > 1 {
			name, parameters, index = m[1], m[2], i
		}
	}
	if parameters != "" {
		name += "[" + parameters + "]"
	}
	if class == "" {
		class = suite
	}
	if class != "" && name != "" {
		name = class + "." + name
	}
	return record.Shared(name), index
}

// numberedTests counts tests that differ by a number alone, which pytest gives to each value of a
// parameter: test[0], test[1], and so on may be trials of one scenario, or scenarios.
type numberedTests map[string]int

// mostLikely is how many such tests may well be trials and not scenarios; chosen.
const mostLikely = 2

// add takes in the name of a test.
func (n numberedTests) add(name string) {
	m := numberSuffix().FindStringSubmatch(name)
	if m == nil {
		return
	}
	if base := record.Shared(m[1]); record.WholeNumber(m[2]).Value == n[base] {
		n[base]++
	}
}

// note says what may have been meant, and how to say so.
func (n numberedTests) note(notes *record.Notes) {
	for _, count := range n {
		if count >= mostLikely {
			notes.Remark("tests that differ by a number, as in test[0], are scenarios; " +
				`--trial-from 'regex:\[(\d+)\]$' makes them trials`)
			return
		}
	}
}

// joined is the name of a test below its groups, as test runners print it.
func joined(parts ...string) string {
	var names []string
	for _, part := range parts {
		if part != "" {
			names = append(names, part)
		}
	}
	return record.Shared(record.ValidText(strings.Join(names, " > ")))
}

// baseName is the name of a file without its folders, which differ from machine to machine.
func baseName(file string) string {
	return file[1+strings.LastIndexAny(file, `/\`):]
}
