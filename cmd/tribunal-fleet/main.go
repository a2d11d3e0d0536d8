// Command tribunal-fleet is tribunal, with the means to run trials on other machines: tribunal starts it for run
// --fleet and worker. It is a program of its own, as the server of queues makes it a fifth larger.
package main

import (
	"os"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli"
	"github.com/tribunal-dev/tribunal/internal/confine"
)

// main does nothing else; see the command tribunal.
func main() {
	confine.Main()
	os.Exit(cli.Main(engine{}))
}
