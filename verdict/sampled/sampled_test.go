package sampled

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// trials are so many of three scenarios, every tenth of which fails, with a cost each.
func trials(n int) (list []*trial.Trial) {
	for i := range n {
		t := &trial.Trial{
			Scenario: fmt.Sprint("s", i%3), Index: trial.Some(i / 3), Outcome: trial.Pass,
			CostUSD: trial.Some(float64(i%7) / 100),
			Input:   trial.RawString(fmt.Sprint("question ", i)), Output: trial.RawString("answer"),
			Place: trial.Place{File: "a.jsonl", Line: i + 1},
		}
		if i%10 == 0 {
			t.Outcome = trial.Fail
		}
		list = append(list, t)
	}
	return list
}

func drawing(list []*trial.Trial) *Drawing {
	d := &Drawing{Seed: 7}
	for _, t := range list {
		d.Add(t)
	}
	return d
}

func tallies(list []*trial.Trial) []verdict.Tally {
	var tallies verdict.Tallies
	for _, t := range list {
		tallies.Add(t)
	}
	return tallies.List()
}

// What is drawn are the trials of the lowest ranks of all, in whatever order they come, and JSON keeps them.
func TestDrawingIsOfTheLowestRanks(t *testing.T) {
	list := trials(9000)
	s := Of(drawing(list), drawing(list[:500]))
	if s.Baseline.Kept() != most || s.Candidate.Kept() != 500 || s.Candidate.Below != 0 {
		t.Fatalf("%d and %d are kept", s.Baseline.Kept(), s.Candidate.Kept())
	}
	var ranks []uint64
	for _, record := range list {
		one := drawing([]*trial.Trial{record})
		ranks = append(ranks, one.kept[0].rank)
	}
	slices.Sort(ranks)
	kept, err := s.drawn(&s.Baseline)
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range kept {
		if item.rank != ranks[i] {
			t.Fatalf("rank %d is %x, want %x", i, item.rank, ranks[i])
		}
	}
	shuffled := slices.Clone(list)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) {
		shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
	})
	if again := Of(drawing(shuffled), drawing(list[:500])); !reflect.DeepEqual(s, again) {
		t.Error("another order draws others")
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var read Sample
	if err := json.Unmarshal(text, &read); err != nil || !reflect.DeepEqual(*s, read) {
		t.Errorf("it is read as another one: %v", err)
	}
	if len(text) > 150_000 {
		t.Errorf("it takes %d bytes", len(text))
	}
	if err := s.Check(tallies(list), tallies(list[:500])); err != nil {
		t.Error(err)
	}
}

// The digest is that of the line that the package trial writes, without tags.
func TestDigestIsOfTheWholeTrial(t *testing.T) {
	record := trials(1)[0]
	sum := sha256.Sum256([]byte(`{"scenario":"s0","trial":0,"outcome":"fail","cost_usd":0,"input":"question 0","output":"answer"}`))
	if want := base64.RawURLEncoding.EncodeToString(sum[:16]); digest(record) != want {
		t.Errorf("%s, want %s", digest(record), want)
	}
	before := digest(record)
	record.Tags = []trial.Member{{Name: "a", Value: trial.RawString("b")}}
	if digest(record) != before {
		t.Error("a tag changes it")
	}
	record.Output = trial.RawString("another")
	if digest(record) == before {
		t.Error("another output does not change it")
	}
}

// Each change of a trial of the sample is found, and named with its place.
func TestDifferences(t *testing.T) {
	list := trials(9000)
	s := Of(drawing(list), drawing(list))
	kept, err := s.drawn(&s.Baseline)
	if err != nil {
		t.Fatal(err)
	}
	// The first trial of the file that is in the sample.
	at := slices.IndexFunc(list, func(record *trial.Trial) bool {
		return slices.ContainsFunc(kept, func(k drawnTrial) bool {
			return k.scenario == record.Scenario &&
				k.number == record.Index
		})
	})
	for name, c := range map[string]struct {
		change func(list []*trial.Trial, record *trial.Trial) []*trial.Trial
		want   string
	}{
		"nothing": {func(list []*trial.Trial, _ *trial.Trial) []*trial.Trial { return list }, ""},
		"order":   {func(list []*trial.Trial, _ *trial.Trial) []*trial.Trial { slices.Reverse(list); return list }, ""},
		"outcome": {func(list []*trial.Trial, record *trial.Trial) []*trial.Trial {
			record.Outcome = trial.Error
			return list
		}, "the outcome is error, and it was judged as "},
		"cost": {func(list []*trial.Trial, record *trial.Trial) []*trial.Trial {
			record.CostUSD.Value += 1
			return list
		}, "cost_usd is 1"},
		"output": {func(list []*trial.Trial, record *trial.Trial) []*trial.Trial {
			record.Output = trial.RawString("another")
			return list
		}, "what it did or said is not"},
		"left out": {func(list []*trial.Trial, _ *trial.Trial) []*trial.Trial { return slices.Delete(list, at, at+1) },
			"was judged, and is not there"},
		"renumbered": {func(list []*trial.Trial, record *trial.Trial) []*trial.Trial {
			record.Index = trial.Some(1_000_000)
			return list
		}, "was judged, and is not there"},
		"twice": {func(list []*trial.Trial, record *trial.Trial) []*trial.Trial { return append(list, record) },
			"was not judged"},
	} {
		changed := make([]*trial.Trial, len(list))
		for i, record := range list {
			changed[i] = new(*record)
		}
		changed = c.change(changed, changed[at])
		again := s.Baseline.Again(s.Seed)
		for _, record := range changed {
			again.Add(record)
		}
		found, err := s.Differences(&s.Baseline, again)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) != min(len(c.want), 1) {
			t.Errorf("%s: %v", name, found)
			continue
		}
		if len(found) > 0 && (!strings.Contains(found[0].Text, c.want) ||
			!strings.Contains(c.want, "is not there") && found[0].Place.File != "a.jsonl") {
			t.Errorf("%s: %v", name, found[0])
		}
	}
}

// A share f of changed trials escapes a sample of k with probability (1-f)^k: over many seeds.
func TestChanceToFindAChange(t *testing.T) {
	const seeds, all, changed = 200, 1500, 2
	missed := 0
	list := trials(all)
	for seed := range uint64(seeds) {
		d := &Drawing{Seed: seed}
		for _, record := range list {
			d.Add(record)
		}
		s := Of(d, d)
		kept, err := s.drawn(&s.Baseline)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(kept, func(k drawnTrial) bool { return k.scenario == "s0" && k.number.Value < changed }) {
			missed++
		}
	}
	// Two thirds of the trials are kept: (1/3)^2 = 0.111, with a standard deviation of 0.022 over the seeds.
	if share := float64(missed) / seeds; share < 0.111-4*0.022 || share > 0.111+4*0.022 {
		t.Errorf("missed with %v", share)
	}
}

// What no seed draws of such trials is refused.
func TestCheckRefuses(t *testing.T) {
	list := trials(9000)
	counts := tallies(list)
	flip := func(text string, at int, to byte) string { return text[:at] + string(to) + text[at+1:] }
	for name, spoil := range map[string]func(s *Sample, side *Side){
		"seed":         func(s *Sample, _ *Side) { s.Seed++ },
		"scenario":     func(s *Sample, _ *Side) { s.Scenarios[0], s.Scenarios[1] = s.Scenarios[1], s.Scenarios[0] },
		"number":       func(_ *Sample, side *Side) { side.Trial[5].Value++ },
		"fraction":     func(_ *Sample, side *Side) { side.Trial[5].Value += 0.5 },
		"no number":    func(_ *Sample, side *Side) { side.Trial[5].Known = false },
		"input":        func(_ *Sample, side *Side) { side.Inputs = strings.Replace(side.Inputs, " ", " 1", 1) },
		"no input":     func(_ *Sample, side *Side) { side.Inputs = "" },
		"of":           func(_ *Sample, side *Side) { side.Of++ },
		"below":        func(_ *Sample, side *Side) { side.Below /= 4 },
		"above":        func(_ *Sample, side *Side) { side.Below = side.Below/4*3 - 1 },
		"no bound":     func(_ *Sample, side *Side) { side.Below = 0 },
		"a bound":      func(_ *Sample, side *Side) { side.Below *= 3 },
		"short":        func(_ *Sample, side *Side) { side.Outcomes = side.Outcomes[1:] },
		"digest":       func(_ *Sample, side *Side) { side.Digests = flip(side.Digests, 3, '!') },
		"digests":      func(_ *Sample, side *Side) { side.Digests = strings.TrimSpace(side.Digests[22:]) },
		"letter":       func(_ *Sample, side *Side) { side.Outcomes = flip(side.Outcomes, 3, 'X') },
		"errors":       func(_ *Sample, side *Side) { side.Outcomes = flip(side.Outcomes, 3, 'E') },
		"all fail":     func(_ *Sample, side *Side) { side.Outcomes = strings.Repeat("F", len(side.Outcomes)) },
		"metric":       func(_ *Sample, side *Side) { side.Metrics["cost_usd"] = side.Metrics["cost_usd"][1:] },
		"other metric": func(_ *Sample, side *Side) { side.Metrics["luck"] = side.Metrics["cost_usd"] },
	} {
		s := Of(drawing(list), drawing(list))
		spoil(s, &s.Candidate)
		if s.Check(counts, counts) == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// Trials without numbers are told apart by their order.
func TestTrialsWithoutNumbers(t *testing.T) {
	list := trials(4000)
	for _, record := range list {
		record.Index, record.Input = trial.Optional[int]{}, nil
	}
	s := Of(drawing(list), drawing(list))
	if s.Baseline.Kept() != most {
		t.Errorf("%d are kept", s.Baseline.Kept())
	}
	if err := s.Check(tallies(list), tallies(list)); err != nil {
		t.Error(err)
	}
	again := s.Baseline.Again(s.Seed)
	for _, record := range list {
		again.Add(record)
	}
	if found, err := s.Differences(&s.Baseline, again); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
}
