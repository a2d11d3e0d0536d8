package plain

import (
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// ReadTrials reads the format of package trial.
func ReadTrials(in *record.Input) error {
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
