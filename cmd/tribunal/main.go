// Command tribunal gives statistical verdicts on systems that do not answer the
// same way twice. Run it with --help.
package main

import (
	"os"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli"
	"github.com/tribunal-dev/tribunal/internal/confine"
)

// main does nothing else: os.Exit runs no deferred function, so what has to be cleaned up
// is in Main.
//
// Before that it may become the program of an agent: see package confine.
func main() {
	confine.Main()
	os.Exit(cli.Main(nil))
}
