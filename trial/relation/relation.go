package relation

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// Relation is a claim about pairs of executions: of a source input, and of a follow-up that is made of it.
type Relation struct {
	Kind Kind
	// Transform makes the input of the follow-up of that of the source; nil leaves it as it is.
	Transform Transform
	// Feed is where in the input of the follow-up the output of the source goes; nil: nowhere.
	Feed  *Place
	Holds Criterion
}

// Transform makes another input of one.
type Transform interface {
	// Apply returns the other input: JSON, and a function of the input and the seed. It is an [inputError] that there is
	// nothing to change in the input.
	Apply(ctx context.Context, input trial.Raw, seed uint64) (trial.Raw, error)
}

// inputError says what of an input keeps a relation from being tested with it.
type inputError struct {
	Place   Place  // in the input
	Problem string // such as "is not there"
	Advice  string // may be ""
}

// Error returns such as `input.documents is not there`.
func (e *inputError) Error() string { return e.Place.String() + " " + e.Problem }

// Hint returns the advice.
func (e *inputError) Hint() string { return e.Advice }

// Alone reports whether both executions of a pair have the same input and the same agent: then pairs of equal inputs
// are no comparison, and the rate of violations itself is tested.
func (r Relation) Alone() bool {
	about := r.Kind.About()
	return about.Alone || r.Transform == nil && !about.Agent && !about.Feeds
}

// FollowUp returns the input of the follow-up. The output is that of the source, which a relation needs that feeds it
// on.
func (r Relation) FollowUp(ctx context.Context, input, output trial.Raw, seed uint64) (trial.Raw, error) {
	var err error
	if r.Transform != nil {
		if input, err = r.Transform.Apply(ctx, input, seed); err != nil {
			return nil, err
		}
	}
	if r.Feed == nil {
		return input, nil
	}
	if output == nil {
		return nil, fmt.Errorf("the source has no output that could be fed into %s", r.Feed)
	}
	return r.Feed.Replace(input, output)
}

// fitter is what can tell of an input whether there is anything in it for it, without a program.
type fitter interface{ fits(input trial.Raw) error }

// Fits returns an [inputError] where the relation cannot be tested with a source input: there is nothing to change in
// it, no place for an output, or no limit. No program is started for that.
func (r Relation) Fits(input trial.Raw) error {
	for _, part := range []any{r.Transform, r.Holds} {
		if f, ok := part.(fitter); ok {
			if err := f.fits(input); err != nil {
				return err
			}
		} else if t, ok := part.(Transform); ok {
			if _, err := t.Apply(context.Background(), input, 0); err != nil {
				return err
			}
		}
	}
	if r.Feed != nil {
		_, err := r.Feed.Value(input)
		return err
	}
	return nil
}

// Execution is what came of asking an agent once.
type Execution struct {
	Input trial.Raw    // JSON; nil is null
	Trial *trial.Trial // with its outcome; never nil
}

// text is the output as a text.
func (e Execution) text() string { return e.Trial.Output.Text() }

// Criterion says whether a relation holds between two executions. It may be used from several goroutines at once.
type Criterion interface {
	// Check returns what was found; an error says that this cannot be said of the two.
	Check(ctx context.Context, source, followUp Execution) (Finding, error)
}

// Finding is what was found of a pair.
type Finding struct {
	Held bool
	Why  string // in a sentence without a full stop
	// Vacuous says that it held because there was nothing to compare, such as no fact in either output.
	Vacuous bool
}

// violated is a finding against the relation.
func violated(format string, values ...any) Finding {
	return Finding{Why: fmt.Sprintf(format, values...)}
}

// held is a finding for it.
func held(format string, values ...any) Finding {
	return Finding{Held: true, Why: fmt.Sprintf(format, values...)}
}

// shown is a text in a sentence.
func shown(text string) string { return prose.Quote(text) }
