// Command simulate writes the recordings of the support-agent example: a baseline
// and two candidates of an agent that answers customers of a shop. Nothing is
// random but the seed; a second run writes the same bytes.
//
//	go run ./examples/support-agent/simulate examples/support-agent
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/tribunal-dev/tribunal/trial"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: simulate FOLDER")
		os.Exit(64)
	}
	for _, a := range agents {
		if err := record(filepath.Join(os.Args[1], a.file), a); err != nil {
			fmt.Fprintln(os.Stderr, "simulate:", err)
			os.Exit(70)
		}
	}
}

// record writes all trials of one agent.
func record(path string, a agent) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	w := trial.NewWriter(file)
	for _, t := range a.trials() {
		if err := w.Write(t); err != nil {
			return err
		}
	}
	return w.Flush()
}
