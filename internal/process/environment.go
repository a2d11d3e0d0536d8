package process

import (
	"os"
	"slices"
	"strings"
)

// Environment says which variables a program sees: those of this process that are
// allowed, and those that are set. An agent that runs in CI must be given its keys
// by name; everything else that CI knows stays there.
type Environment struct {
	Allow []string          // names, besides [AlwaysAllowed]; "LC_*" stands for all that begin so
	Set   map[string]string // wins over what is allowed
}

// AlwaysAllowed returns the names of the variables that every program sees: without them
// few start. They are where programs, homes, temporary files, the language and the
// certificates of TLS are found, on Unix and on Windows; none of them is usually a secret.
func AlwaysAllowed() []string {
	return []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TEMP", "TMP", "TZ", "LANG", "LC_*", "TERM",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "SystemRoot", "ComSpec", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
	}
}

// list returns the variables as exec wants them, sorted.
func (e Environment) list() []string {
	// Names are compared as they are written; on Windows, where their case does not matter,
	// a name has to be given as the system has it.
	allowed := append(AlwaysAllowed(), e.Allow...)
	variables := []string{}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		// A name that stands in the list twice would be read as either by different
		// programs.
		if _, set := e.Set[name]; !set && slices.ContainsFunc(allowed, func(a string) bool { return covers(a, name) }) {
			variables = append(variables, variable)
		}
	}
	for name, value := range e.Set {
		variables = append(variables, name+"="+value)
	}
	// The order of a map is another one every time; what the program sees should not be.
	slices.Sort(variables)
	return variables
}

// covers reports whether a pattern allows a name. A star counts at the end alone: "*"
// allows every name.
func covers(pattern, name string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}
