package ingest

import "github.com/tribunal-dev/tribunal/trial"

// readTrials reads the format of package trial.
func readTrials(in *input) error {
	for t, err := range trial.Read(in.text, in.options.records) {
		if err != nil {
			return err
		}
		if err := in.emit(t, in.options.numbered); err != nil {
			return err
		}
	}
	return nil
}
