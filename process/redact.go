package process

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strings"
)

// secrets removes the values of variables from texts.
type secrets struct {
	values  []secret
	longest int // bytes
}

type secret struct{ value, instead []byte }

// newSecrets finds the values of the names in the program's variables, and in those
// of this process, which may reach it in another way. A value is also removed as it
// stands in a JSON string, and line by line where it has several.
func newSecrets(environment, names []string) secrets {
	var s secrets
	for _, name := range names {
		for _, value := range valuesOf(name, environment) {
			quoted, _ := json.Marshal(value)
			forms := append([]string{value, string(quoted[1 : len(quoted)-1])}, strings.FieldsFunc(value, func(r rune) bool { return r == '\n' || r == '\r' })...)
			for _, form := range forms {
				s.add(form, name)
			}
		}
	}
	// A secret that contains another is removed first, and whole.
	slices.SortStableFunc(s.values, func(a, b secret) int { return cmp.Compare(len(b.value), len(a.value)) })
	if len(s.values) > 0 {
		s.longest = len(s.values[0].value)
	}
	return s
}

func (s *secrets) add(form, name string) {
	known := slices.ContainsFunc(s.values, func(o secret) bool { return string(o.value) == form })
	if form != "" && !known {
		s.values = append(s.values, secret{[]byte(form), []byte("[redacted " + name + "]")})
	}
}

func valuesOf(name string, environment []string) (values []string) {
	for _, variable := range environment {
		if n, value, _ := strings.Cut(variable, "="); n == name {
			values = append(values, value)
		}
	}
	if value, ok := os.LookupEnv(name); ok {
		values = append(values, value)
	}
	return values
}

// remove returns the text without the secrets.
func (s secrets) remove(text []byte) []byte {
	for _, v := range s.values {
		if bytes.Contains(text, v.value) {
			text = bytes.ReplaceAll(text, v.value, v.instead)
		}
	}
	return text
}
