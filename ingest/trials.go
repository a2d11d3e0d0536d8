package ingest

import "github.com/tribunal-dev/tribunal/trial"

// readTrials reads the format of package trial.
func readTrials(in *input) error {
	o := in.options.Options
	o.Unjudged = in.admitsUnjudged()
	o.Fields = in.options.keptFields()
	for t, err := range trial.Read(in.text, o) {
		if err != nil {
			return err
		}
		if err := in.handOut(t, in.options.Numbered); err != nil {
			return err
		}
	}
	return nil
}
