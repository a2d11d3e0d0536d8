package ratchet

import (
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/sprt/keep"
)

const least = "version: 1\nfiles: [a.py]\nfix: {command: [fix]}\ntests: {command: [pytest]}\n"

func TestParse(t *testing.T) {
	c, err := parse("x/ratchet.yaml", []byte(`version: 1
name: orders
files: [b.py, a.py]
protect: ["tests/**"]
exclude: [build]
link: [node_modules]
rules: [Be short]
generate: {command: [ask, "", ask], stdin: json, route: mid, timeout: 1m}
review: {command: [ask], route: cheap}
fix: {command: [ask]}
tests: {command: [go, test, ./...], timeout: 5s, again: false}
extract: {language: python, command: [python3.11]}
attempts: 7
stop: {stalled: 3, least: 0.1}
budget: {profile: overnight, max_duration: 8h}
routes: {cheap: {model: small}, mid: {model: large}}
prices: [{model: small, input: 1, output: 2}]
guard: contract.yaml
confine: true
seed: 5
`))
	if err != nil {
		t.Fatal(err)
	}
	if c.Dir() != "x" || c.Files[0] != "a.py" || !c.Generate.JSON || len(c.Generate.Command) != 3 ||
		c.Generate.Timeout != time.Minute ||
		c.Review.JSON || c.Tests.Again || c.Tests.Timeout != 5*time.Second || c.Attempts != 7 || c.Stalled != 3 ||
		c.Least != 0.1 ||
		c.MaxCost != overnightUSD || c.MaxTime != 8*time.Hour || c.Routes["mid"] != "large" || !c.Wire ||
		c.Guard != "contract.yaml" ||
		!c.Confine || c.Seed != 5 || c.Extract.Language != python || len(c.Digest) != 7+64 {
		t.Errorf("%+v", c)
	}
	if c, err = parse("ratchet.yaml", []byte(least)); err != nil || c.Attempts != 5 || c.MaxCost != 10 ||
		c.Tests.Timeout != 2*time.Minute ||
		c.Extract.Language != noLanguage || !c.Tests.Again {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = parse("ratchet.yaml",
		[]byte("version: 1\nfiles: [a.py]\nfix: {command: [fix]}\nsuite: {alpha: 0.1, spending: lord++, gain: 0.2, rate: "+
			"0.7}\n"))
	if err != nil || c.Suite.Alpha != 0.1 || c.Suite.Spending != keep.LORD || c.Suite.Question.Gain != 0.2 ||
		c.Suite.File != "tribunal.yaml" {
		t.Errorf("%+v, %v", c, err)
	}
}

// Each mistake is told with its place and what to do.
func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                                  "",
		"version: 2\n":                                      "version",
		"version: 1\nfix: {command: [a]}\n":                 "files",
		least + "unknown: 1\n":                              "unknown",
		least + "attempts: 0\n":                             "attempts",
		least + "protect: [../x]\n":                         "no name within the project",
		least + "protect: [/etc]\n":                         "no name within the project",
		least + "protect: [\"*.py\"]\n":                     "is protected",
		least + "suite: {}\n":                               "beside tests",
		least + "review: {command: []}\n":                   "must name a program",
		least + "extract: {language: rust}\n":               "language",
		least + "extract: {language: command}\n":            "command",
		least + "budget: {profile: workday, max_cost: 3}\n": "omit one of them",
		least + "review: {command: [a], route: cheap}\n":    "none of routes",
		least + "confine: true\n":                           "wire",
		"version: 1\nfiles: [a]\nfix: {command: [a]}\n":     "neither tests nor a suite",
		"version: 1\nfiles: [a]\nfix: {command: [a]}\ntests: {command: [x]}\n": "no test runner that is known",
		"version: 1\nfiles: [a]\nfix: {command: [a]}\nsuite: {gain: 0.5}\n":    "leave room",
	} {
		if _, err := parse("ratchet.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(least)
	f.Fuzz(func(t *testing.T, text string) { _, _ = parse("ratchet.yaml", []byte(text)) })
}
