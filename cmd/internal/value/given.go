package value

// GivenOptions are the options that somebody gave, by their names, with what gave each: the option itself, such as
// --delta, a variable, or a key of a suite file. Messages name it.
type GivenOptions map[string]string

// Has reports whether anything gave the option.
func (g GivenOptions) Has(option string) bool {
	_, has := g[option]
	return has
}

// Origin is what gave the option, or the option itself where nothing did: that is where a person would give it.
func (g GivenOptions) Origin(option string) string {
	if by := g[option]; by != "" {
		return by
	}
	return "--" + option
}

// Typed reports whether the option was given on the command line, and not by a variable or a suite.
func (g GivenOptions) Typed(option string) bool { return g[option] == "--"+option }
