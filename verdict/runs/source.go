package runs

// Place returns where the scenario of a name stands, which may be that of a test with its variant: the file of the
// suite, with slashes, and the line from 1. The file is "" where the result does not say it, and the line 0 of what
// is no scenario, such as a test of all of them.
func (r *Result) Place(name string) (file string, line int) {
	if r.Source == nil {
		return "", 0
	}
	line, known := r.Source.Lines[name]
	for i := 0; i < len(r.Tests) && !known; i++ {
		if t := &r.Tests[i]; t.Name == name {
			line, known = r.Source.Lines[r.scenarioOf(t)]
		}
	}
	return r.Source.File, max(line, 0)
}
