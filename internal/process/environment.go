package process

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// Environment says which variables a program sees: those of this process that are
// allowed, and those that are set. An agent that runs in CI must be given its keys
// by name; everything else that CI knows stays there.
type Environment struct {
	Allow []string          // names, besides [AlwaysAllowed]; "LC_*" stands for all that begin so, "*" for all
	Set   map[string]string // wins over what is allowed
}

// AlwaysAllowed returns the names of the variables that every program sees: without them
// few start. They are where programs, homes, temporary files, the language and the
// certificates of TLS are found, on Unix and on Windows; none of them is usually a secret.
func AlwaysAllowed() []string {
	return []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TEMP", "TMP", "TZ", "LANG", "LANGUAGE", "LC_*", "TERM",
		"SSL_CERT_FILE", "SSL_CERT_DIR",
		"SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "USERNAME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH",
		"APPDATA", "LOCALAPPDATA", "ProgramData", "ProgramFiles", "ProgramFiles(x86)", "PROCESSOR_ARCHITECTURE",
		"NUMBER_OF_PROCESSORS",
	}
}

// Allows reports whether a program sees the variable of that name, if this process has it.
func (e Environment) Allows(name string) bool {
	covers := func(pattern string) bool { return covers(pattern, name) }
	return slices.ContainsFunc(e.Allow, covers) || slices.ContainsFunc(AlwaysAllowed(), covers)
}

// list returns the variables as exec wants them, sorted.
func (e Environment) list() []string {
	variables := []string{}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		// A name that stands in the list twice would be read as either by different
		// programs.
		if _, set := e.Set[name]; !set && e.Allows(name) {
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
// allows every name. On Windows the case of names does not matter.
func covers(pattern, name string) bool {
	if runtime.GOOS == "windows" {
		pattern, name = strings.ToUpper(pattern), strings.ToUpper(name)
	}
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}
