package plain

import (
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// Trials decodes JSON lines, or a JSON array, of trials.
var Trials = record.Decoder{Read: readTrials}

// readTrials reads the format of package trial.
//
//	{"scenario":"refund","trial":0,"variant":"base","outcome":"pass","cost_usd":0.01}
//
// Package trial reads these in constant memory, and checks them as it does.
func readTrials(in *record.Input) error {
	for t, err := range trial.Read(in.Text, in.Options.Records) {
		if err != nil {
			return err
		}
		if err := in.Emit(t, in.Options.Numbered); err != nil {
			return err
		}
	}
	return nil
}
