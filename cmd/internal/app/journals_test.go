package app

import (
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial/journal"
)

// The command of a journal is shown to be pasted, so one that somebody else may have written has nothing special to a shell.
func TestCommandThatContinuesARun(t *testing.T) {
	for command, shown := range map[string]bool{
		"tribunal run --resume":                                true,
		"tribunal gate shop.yaml --min-pass-rate=0.5 --resume": true,
		"tribunal run --shard 1/2 --record 40 --resume":        true,
		"":                              false,
		"tribunal run --resume; date":   false,
		"tribunal run $(date) --resume": false,
		"tribunal run --agent 'date -u' --resume": false,
		"tribunal repeat --resume -- date":        false,
		"tribunal repeat -- date --resume":        false,
		"date --resume":                           false,
		"tribunal run --resume\ndate":             false,
		"tribunal run shop.yaml\x1b[2K --resume":  false,
	} {
		got := Continuation("x.journal.jsonl", journal.Header{Command: command, File: "x.journal.jsonl"})
		if strings.HasPrefix(got, command+",") != shown || !shown &&
			got != "tribunal run SUITE --resume --journal x.journal.jsonl, with its first options," {
			t.Errorf("%q: %q", command, got)
		}
	}
}
