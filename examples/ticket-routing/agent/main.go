// Command agent routes a ticket to a department, as an agent with a language model
// would: mostly right, and not always in the same way. The seed that it is given
// decides all that is random about it, so that a run can be repeated.
//
// It reads a JSON object with scenario, input, trial and seed from standard input
// and writes one trial record to standard output.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/tribunal-dev/tribunal/trial"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(65)
	}
}

// request is what the agent is given.
type request struct {
	Scenario string `json:"scenario"` // which is copied into the record
	Input    struct {
		Text string `json:"text"`
	} `json:"input"`
	Trial int    `json:"trial"` // its number within the scenario
	Seed  uint64 `json:"seed"`  // of all that is random
}

// run answers one request.
func run(in io.Reader, out io.Writer) error {
	var r request
	if err := json.NewDecoder(in).Decode(&r); err != nil {
		return fmt.Errorf("the request is not JSON: %w", err)
	}
	w := trial.NewWriter(out)
	if err := w.Write(answer(r)); err != nil {
		return err
	}
	return w.Flush()
}
