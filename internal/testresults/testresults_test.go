package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const passing = `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"noise\n"}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":1}
{"Action":"pass","Package":"p","Elapsed":1.25}
`

const skipping = `{"Action":"output","Package":"q","Test":"TestB/one","Output":"=== RUN   TestB/one\n"}
{"Action":"output","Package":"q","Test":"TestB/one","Output":"    b_test.go:7: the sample is not here\n"}
{"Action":"output","Package":"q","Test":"TestB/one","Output":"--- SKIP: TestB/one (0.00s)\n"}
{"Action":"skip","Package":"q","Test":"TestB/one"}
{"Action":"skip","Package":"no/tests"}
{"Action":"pass","Package":"q","Elapsed":2}
`

const failing = `{"Action":"output","Package":"r","Test":"TestC","Output":"    c_test.go:9: 2, want 3\n"}
{"Action":"fail","Package":"r","Test":"TestC"}
{"Action":"output","Package":"r","Output":"FAIL\n"}
{"Action":"fail","Package":"r","Elapsed":0.5}
`

func TestReport(t *testing.T) {
	for name, c := range map[string]struct{ events, skips, text, problem string }{
		"all pass": {passing, "^$", "pass p 1.2s\n1 passed, 0 failed, 0 skipped\n", ""},
		"slow ones": {strings.ReplaceAll(passing, `"Elapsed":1}`, `"Elapsed":11}`) +
			strings.ReplaceAll(passing, `"Elapsed":1}`, `"Elapsed":9}`) +
			strings.ReplaceAll(strings.ReplaceAll(passing, `"Elapsed":1}`, `"Elapsed":12}`), "TestA", "TestZ/x"), "^$",
			strings.Repeat("pass p 1.2s\n", 3) + "slow: p TestZ/x 12s\nslow: p TestA 11s\n" +
				"3 passed, 0 failed, 0 skipped\n", ""},
		"a skip": {passing + skipping, "^$", "pass p 1.2s\npass q 2.0s\n" +
			"skipped: q TestB/one: b_test.go:7: the sample is not here\n1 passed, 0 failed, 1 skipped\n",
			"1 test was skipped that must run"},
		"another may": {skipping, "^TestC", "", "1 test was skipped that must run"},
		"it may": {skipping, "^TestB/", "pass q 2.0s\n" +
			"skipped: q TestB/one: b_test.go:7: the sample is not here\n0 passed, 0 failed, 1 skipped\n", ""},
		"a failure": {failing, ".", "    c_test.go:9: 2, want 3\nFAIL\nfail r 0.5s\n0 passed, 1 failed, 0 skipped\n",
			"there are failures"},
		"both": {failing + skipping, "^$", "", "there are failures"},
		"does not build": {`{"Action":"build-output","ImportPath":"s","Output":"s.go:1: no\n"}
{"Action":"build-fail","ImportPath":"s"}
{"Action":"fail","Package":"s","Elapsed":0}
`, ".", "s.go:1: no\nfail s 0.0s\n0 passed, 0 failed, 0 skipped\n", "there are failures"},
		"no tests":  {`{"Action":"skip","Package":"no/tests"}`, ".", "0 passed, 0 failed, 0 skipped\n", "no test ran"},
		"no events": {"ok p 1s\n", ".", "", "this is not go test -json"},
	} {
		var text bytes.Buffer
		err := report(strings.NewReader(c.events), &text, regexp.MustCompile(c.skips))
		switch {
		case err == nil && c.problem != "":
			t.Errorf("%s: no error, want %q", name, c.problem)
		case err != nil && (c.problem == "" || !strings.Contains(err.Error(), c.problem)):
			t.Errorf("%s: %v, want %q", name, err, c.problem)
		}
		if c.text != "" {
			if diff := cmp.Diff(c.text, text.String()); diff != "" {
				t.Errorf("%s: (-want +got):\n%s", name, diff)
			}
		}
	}
}
