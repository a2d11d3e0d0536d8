package world

import "strings"

// LookupEnv reads an environment variable, as os.LookupEnv does.
type LookupEnv func(name string) (value string, ok bool)

// Get returns the value, "" where the variable is not set.
func (l LookupEnv) Get(name string) string {
	if l == nil {
		return ""
	}
	value, _ := l(name)
	return value
}

// EnvironmentName returns the variable that sets a flag: TRIBUNAL_MAX_LINE_BYTES
// for --max-line-bytes.
func EnvironmentName(flag string) string {
	return "TRIBUNAL_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// PasswordVariable holds the password of the key that signs.
const PasswordVariable = "TRIBUNAL_SIGN_PASSWORD"
