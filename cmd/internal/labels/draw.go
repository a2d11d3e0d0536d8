package labels

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/twophase"
)

// KeySchema names the JSON form of a [Key].
const KeySchema = "tribunal/label-key/v1"

// Key is what belongs to a sheet and does not stand on it.
type Key struct {
	Schema    string   `json:"schema"`    // [KeySchema]
	Digest    string   `json:"digest"`    // of all that follows
	Recording string   `json:"recording"` // digest of what was tried and what came of it
	Verdicts  string   `json:"verdicts"`  // digest of what the judge says of it
	Judges    []string `json:"judges"`    // digests of what judged; "" where trials do not say
	Seed      uint64   `json:"seed"`
	Judged    int      `json:"judged"`             // trials that the judge passed or failed
	Passed    int      `json:"passed"`             // of them that it passed
	Errors    int      `json:"errors"`             // trials that ended in an error, of which none is drawn
	LeftOut   int      `json:"left_out,omitempty"` // trials that the judge did not judge, of which none is drawn
	Repeats   Repeats  `json:"repeats"`
	Rows      []Row    `json:"rows"` // in the order of the sheet
}

// Repeats are answers that the judge judged more than once: the same steps and output to the same input.
type Repeats struct {
	Answers int `json:"answers"` // that were judged twice or more
	Flipped int `json:"flipped"` // of them, those that it passed and failed
}

// Row is a trial that was drawn.
type Row struct {
	ID       string `json:"id"` // letters, from the digest of the recording and the trial
	Scenario string `json:"scenario"`
	Variant  string `json:"variant,omitempty"`
	Trial    int    `json:"trial"`
	Passed   bool   `json:"passed"`   // by the judge
	Length   int    `json:"length"`   // characters of the output
	Position int    `json:"position"` // among the judged trials of the recording, from 0
}

// Sheet is what a person labels, with its key.
type Sheet struct {
	Key   Key
	items []item
}

// Draw draws so many trials at random among those that the judge passed and so many among those that it failed as
// [twophase.Allocate] says, and puts them into a random order. The error is an [stats.ArgumentError].
func Draw(r *Recording, n int, seed uint64) (*Sheet, error) {
	judged, passed := r.Judged()
	switch {
	case judged == 0:
		return nil, &stats.ArgumentError{Argument: "judged trials", Value: 0, Problem: "are too few"}
	case judged > twophase.MostJudged:
		return nil, &stats.ArgumentError{
			Argument: "judged trials", Value: judged, Problem: fmt.Sprintf("must be at most %d", twophase.MostJudged),
		}
	case n < 1 || n > twophase.MostLabels:
		return nil, &stats.ArgumentError{
			Argument: "n", Value: n, Problem: fmt.Sprintf("must lie from 1 to %d", twophase.MostLabels),
		}
	}
	ofPassed, ofFailed := twophase.Allocate(n, judged, passed)
	if ofPassed == 0 && passed > 0 || ofFailed == 0 && passed < judged {
		return nil, &stats.ArgumentError{
			Argument: "n", Value: n,
			Problem: "leaves one of the judge's verdicts without a label; five are enough for both",
		}
	}
	k := Key{
		Schema: KeySchema, Recording: sum(r.content), Verdicts: sum(r.verdicts), Judges: r.judgeDigests(), Seed: seed,
		Judged: judged, Passed: passed, Errors: r.errors, LeftOut: r.leftOut,
		Repeats: r.repeats(),
	}
	// The same seed draws the same of the same recording, and other trials of another.
	random := seeded.Stream(seed, uint64(judged))
	var strata [2][]int // by whether the judge passed
	for i, x := range r.judged {
		which := 0
		if x.passed {
			which = 1
		}
		strata[which] = append(strata[which], i)
	}
	drawn := append(take(random, strata[1], ofPassed), take(random, strata[0], ofFailed)...)
	random.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	s := &Sheet{}
	for _, i := range drawn {
		x := r.judged[i]
		k.Rows = append(k.Rows, Row{
			ID: letters(k.Recording, i), Scenario: x.Scenario, Variant: x.Variant, Trial: x.Trial, Passed: x.passed,
			Length: x.length, Position: i,
		})
		s.items = append(s.items, x)
	}
	k.Digest = k.digest()
	s.Key = k
	return s, nil
}

// take draws some of a list without putting back.
func take(random *rand.Rand, from []int, n int) []int {
	list := slices.Clone(from)
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:n]
}

// letters are the name of a trial on a sheet: of letters alone, as spreadsheets make numbers and dates of what looks
// like one.
func letters(recording string, position int) string {
	const length = 10
	hashed := sha256.Sum256(fmt.Appendf(nil, "%s %d", recording, position))
	name := make([]byte, length)
	for i := range name {
		name[i] = 'a' + hashed[i]%26
	}
	return string(name)
}

// digest is that of the key without it.
func (k Key) digest() string {
	k.Digest = ""
	text, err := json.Marshal(k)
	if err != nil {
		return "" // not reached: it holds texts and whole numbers
	}
	h := sha256.New()
	h.Write(text)
	return sum(h)
}
