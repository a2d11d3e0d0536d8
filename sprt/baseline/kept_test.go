package baseline

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/kept"
	"github.com/tribunal-dev/tribunal/stats"
)

// A plan that is kept is the one that was made, tiers and errors included, and is not searched for again.
func TestPlansAreKept(t *testing.T) {
	ctx := kept.With(t.Context(), filepath.Join(t.TempDir(), "designs"))
	question := Question{Delta: 0.3, Alpha: 0.05, Beta: 0.1}
	sample, err := Fixed(60)
	if err != nil {
		t.Fatal(err)
	}
	sides := Hypotheses{Delta: 0.3, Alpha: 0.05, Beta: 0.1, Guarded: stats.Interval{Low: 0.9, High: 1}}
	pairs := MatchedHypotheses{Delta: 0.3, Alpha: 0.05, Beta: 0.1, MostDiscordant: 0.5}
	for name, plan := range map[string]func(ctx context.Context, o Options) (any, error){
		"stored": func(ctx context.Context, o Options) (any, error) {
			p, err := Against(ctx, question, sample, Outcome{Trials: 60, Failures: 25}, o)
			if err != nil {
				return nil, err
			}
			if p.Family.depth() < 2 {
				t.Errorf("the plan has one tier: none is kept after another")
			}
			return []any{p.Family.Record(), p.Family.Errors(), p.Errors, p.Expected, p.Bound, p.Gap, p.Inconclusive,
				p.FixedTrials}, nil
		},
		"side by side": func(ctx context.Context, o Options) (any, error) {
			return roundsOf(SideBySide(ctx, sides, o))
		},
		"matched": func(ctx context.Context, o Options) (any, error) { return roundsOf(Matched(ctx, pairs, o)) },
	} {
		t.Run(name, func(t *testing.T) {
			searched := 0
			o := Options{Progress: func(float64) { searched++ }}
			want, err := plan(ctx, o)
			if err != nil || searched == 0 {
				t.Fatalf("%v, after %d steps of a search", err, searched)
			}
			searched = 0
			got, err := plan(ctx, o)
			if err != nil || searched > 0 {
				t.Errorf("%v, after %d steps of a search", err, searched)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-made +kept):\n%s", diff)
			}
			if again, err := plan(t.Context(), o); err != nil || searched == 0 || !cmp.Equal(want, again) {
				t.Errorf("without a folder: %v, after %d steps of a search: %s", err, searched, cmp.Diff(want, again))
			}
		})
	}
}

func roundsOf(p RoundsPlan, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return []any{p.Test.Record(), p.Test.Errors(), p.Errors, p.Expected, p.Bound, p.Gap, p.Inconclusive,
		p.FixedRounds}, nil
}

// The plan of another question is no answer, wherever it stands.
func TestPlanOfAnotherQuestionIsNone(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "designs")
	ctx := kept.With(t.Context(), folder)
	plan := func(ctx context.Context, delta float64) string {
		sample, err := Fixed(60)
		if err != nil {
			t.Fatal(err)
		}
		h := Hypotheses{Delta: delta, Alpha: 0.05, Beta: 0.1, Guarded: stats.Interval{Low: 0.9, High: 1}}
		p, err := Stored(ctx, h, sample, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return p.Family.Digest()
	}
	names := func() (list []string) {
		files, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			list = append(list, f.Name())
		}
		return list
	}
	want := plan(ctx, 0.3)
	first := names()[0]
	other := plan(ctx, 0.25)
	for _, name := range names() {
		if name != first && strings.HasSuffix(name, ".json") {
			if err := os.Rename(filepath.Join(folder, name), filepath.Join(folder, first)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := plan(ctx, 0.3); got != want || got == other {
		t.Errorf("the digest is %s, want %s", got, want)
	}
}
