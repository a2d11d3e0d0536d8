package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

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
	for name, c := range map[string]struct {
		events, skips string
		longest       time.Duration
		text, problem string
	}{
		"all pass": {passing, "^$", 0, "pass p 1.2s\nslowest: p 1s\n1 passed, 0 failed, 0 skipped\n", ""},
		"slow ones": {strings.ReplaceAll(passing, `"Elapsed":1}`, `"Elapsed":11}`) +
			strings.ReplaceAll(passing, `"Elapsed":1}`, `"Elapsed":9}`) +
			strings.ReplaceAll(strings.ReplaceAll(passing, `"Elapsed":1}`, `"Elapsed":12}`), "TestA", "TestZ/x"), "^$", 0,
			strings.Repeat("pass p 1.2s\n", 3) + strings.Repeat("slowest: p 1s\n", 3) +
				"slow: p TestZ/x 12s\nslow: p TestA 11s\n3 passed, 0 failed, 0 skipped\n", ""},
		"slow packages": {elapsed(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), "^$", 12 * time.Second, `pass p0 1.0s
pass p1 2.0s
pass p2 3.0s
pass p3 4.0s
pass p4 5.0s
pass p5 6.0s
pass p6 7.0s
pass p7 8.0s
pass p8 9.0s
pass p9 10.0s
pass p10 11.0s
pass p11 12.0s
` + "slowest: p11 12s\n" +
			"slowest: p10 11s\nslowest: p9 10s\nslowest: p8 9s\nslowest: p7 8s\nslowest: p6 7s\nslowest: p5 6s\n" +
			"slowest: p4 5s\nslowest: p3 4s\nslowest: p2 3s\n12 passed, 0 failed, 0 skipped\n", ""},
		"too long": {elapsed(1, 180.5), "^$", 3 * time.Minute, "pass p0 1.0s\npass p1 180.5s\nslowest: p1 180s\nslowest: p0 1s\n" +
			"too long: p1 took 180s, and may take 3m0s\n2 passed, 0 failed, 0 skipped\n", "1 package took too long"},
		"a skip": {passing + skipping, "^$", 0, "pass p 1.2s\npass q 2.0s\nslowest: q 2s\nslowest: p 1s\n" +
			"skipped, and must run: q TestB/one: b_test.go:7: the sample is not here\n1 passed, 0 failed, 1 skipped\n",
			"1 test was skipped that must run"},
		"another may": {skipping, "^TestC", 0, "", "1 test was skipped that must run"},
		"it may": {skipping, "^TestB/", 0, "pass q 2.0s\nslowest: q 2s\n" +
			"skipped: q TestB/one: b_test.go:7: the sample is not here\n0 passed, 0 failed, 1 skipped\n", ""},
		"a failure": {failing, ".", 0, "    c_test.go:9: 2, want 3\nFAIL\nfail r 0.5s\nslowest: r 0s\n" +
			"0 passed, 1 failed, 0 skipped\n", "there are failures"},
		"both": {failing + skipping, "^$", 0, "", "there are failures"},
		"does not build": {`{"Action":"build-output","ImportPath":"s","Output":"s.go:1: no\n"}
{"Action":"build-fail","ImportPath":"s"}
{"Action":"fail","Package":"s","Elapsed":0}
`, ".", 0, "s.go:1: no\nfail s 0.0s\nslowest: s 0s\n0 passed, 0 failed, 0 skipped\n", "there are failures"},
		"no tests":  {`{"Action":"skip","Package":"no/tests"}`, ".", 0, "0 passed, 0 failed, 0 skipped\n", "no test ran"},
		"no events": {"ok p 1s\n", ".", 0, "", "this is not go test -json"},
	} {
		var text bytes.Buffer
		err := report(strings.NewReader(c.events), &text, regexp.MustCompile(c.skips), c.longest)
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

// elapsed is what is printed of packages p0, p1, ... that have a test each and took so many seconds.
func elapsed(seconds ...float64) string {
	var text strings.Builder
	for i, s := range seconds {
		fmt.Fprintf(&text, "{\"Action\":\"pass\",\"Package\":\"p%d\",\"Test\":\"TestA\",\"Elapsed\":1}\n"+
			"{\"Action\":\"pass\",\"Package\":\"p%d\",\"Elapsed\":%g}\n", i, i, s)
	}
	return text.String()
}
