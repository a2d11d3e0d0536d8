package value

// Given are the options that somebody gave, by their names, with what gave each: the option itself, such as --delta, a
// variable, or a key of a suite file. Messages name it.
type Given map[string]string

// Has reports whether anything gave the option.
func (g Given) Has(option string) bool {
	_, has := g[option]
	return has
}

// Origin is what gave the option, or the option itself where nothing did: that is where a person would give it.
func (g Given) Origin(option string) string {
	if by := g[option]; by != "" {
		return by
	}
	return "--" + option
}

// Typed reports whether the option was given on the command line, and not by a variable or a suite.
func (g Given) Typed(option string) bool { return g[option] == "--"+option }
