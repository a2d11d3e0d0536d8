package thorough

import (
	"flag"
	"os"
	"sync"

	"pgregory.net/rapid"
)

// Check tests a property as rapid.Check does, by 20 draws; by 100 where all is asked for. The flag -rapid.checks and
// the environment variable RAPID_CHECKS say otherwise.
func Check(t rapid.TB, property func(*rapid.T)) {
	t.Helper()
	fewChecks()
	rapid.Check(t, property)
}

// fewChecks sets how many draws are made, unless somebody said so.
var fewChecks = sync.OnceFunc(func() {
	said := Asked() || os.Getenv("RAPID_CHECKS") != ""
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "rapid.checks" })
	if said {
		return
	}
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
})
