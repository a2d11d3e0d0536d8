package problem

import (
	"testing"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/trial"
)

// A hint names the flag where the package names the option, and nothing is changed where
// it names none, whatever a user wrote.
func TestHintsNameFlags(t *testing.T) {
	for _, c := range []struct {
		err  hintedError
		want string
	}{
		{&trial.DuplicateError{}, "drop one, or let both count with --allow-duplicates; of runs that are each numbered " +
			"anew, count the trials with --trial-from order"},
		{&ingest.VariantError{Requested: "x"}, "check the name that --variant gives"},
		{&ingest.UnreadError{}, "omit --strict to read the rest"},
		{&trial.FileError{Advice: "name the format with From; FormatNames lists them", About: "From"},
			"name the format with --from; tribunal import --list-formats lists them"},
		{&trial.FileError{Advice: "name the columns with Map outcome=Variant, From or Map ", About: "Map"},
			"name the columns with --map outcome=Variant, From or Map "},
		{&trial.FileError{Advice: "choose the one that judges with Scorer: Strict or Scorer", About: "Scorer"},
			"choose the one that judges with --scorer: Strict or Scorer"},
		{&trial.FileError{Advice: "did you mean Variant?", About: "kind"}, "did you mean Variant?"},
		{&trial.FieldError{Advice: `is "From" meant?`}, `is "From" meant?`},
	} {
		if got := hintOf(c.err); got != c.want {
			t.Errorf("%T: %q, want %q", c.err, got, c.want)
		}
	}
}
