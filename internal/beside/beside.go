// Package beside has tests that wait for programs wait side by side, on machines of few processors too.
//
//	func TestMain(m *testing.M) {
//		beside.Tests(8)
//		os.Exit(m.Run())
//	}
package beside

import (
	"flag"
	"strconv"
)

// Tests lets so many tests that call Parallel run beside each other, unless the flag -parallel says how many.
func Tests(many int) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if given {
		return
	}
	if err := flag.Set("test.parallel", strconv.Itoa(many)); err != nil {
		panic(err) // package testing has the flag
	}
}
