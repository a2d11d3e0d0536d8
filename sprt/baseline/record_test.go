package baseline

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
)

// again writes a record as JSON and reads it back.
func again[R any](t *testing.T, record R) (read R, text []byte) {
	t.Helper()
	text, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return read, text
}

// samples are one of each form, of few trials.
func samples(t *testing.T) map[string]Sample {
	t.Helper()
	fixed, err := Fixed(14)
	if err != nil {
		t.Fatal(err)
	}
	d, err := sprt.Wald(sprt.Hypotheses{Threshold: 0.9, Delta: 0.5, Alpha: 0.1, Beta: 0.1}, 30)
	if err != nil {
		t.Fatal(err)
	}
	sequential, err := Sequential(d.Boundaries)
	if err != nil {
		t.Fatal(err)
	}
	pooled, err := Pooled(fixed, sequential, fixed)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]Sample{"fixed": fixed, "sequential": sequential, "pooled": pooled}
}

// A family that is saved and read has the same boundaries, errors, p-values and digest.
func TestFamilyIsReadBack(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long")
	}
	t.Parallel()
	for name, s := range samples(t) {
		plan, err := Stored(t.Context(), small(), s, Options{MaxTrials: thorough.Draws(12, 25)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		f := plan.Family
		record, _ := again(t, f.Record())
		read, err := record.Family()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if read.Digest() != f.Digest() || read.Errors() != f.Errors() || read.MaxTrials() != f.MaxTrials() ||
			read.Hypotheses() != f.Hypotheses() || read.Gamma() != f.Gamma() {
			t.Errorf("%s: the family is another", name)
		}
		for _, o := range s.Outcomes() {
			want, wanted := f.Boundaries(o)
			got, ok := read.Boundaries(o)
			if ok != wanted || !same(got, want) {
				t.Errorf("%s: the boundaries of %+v are others", name, o)
			}
			if read.Sample().Probability(o, 0.9) != s.Probability(o, 0.9) {
				t.Errorf("%s: the probability of %+v is another", name, o)
			}
		}
	}
}

func TestRoundsAreReadBack(t *testing.T) {
	t.Parallel()
	for name, plan := range map[string]RoundsPlan{"side by side": smallRounds(t), "matched": smallMatched(t)} {
		r := plan.Test
		record, _ := again(t, r.Record())
		read, err := record.Rounds()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if read.Digest() != r.Digest() || read.Matched() != r.Matched() || read.MaxRounds() != r.MaxRounds() ||
			read.Hypotheses() != r.Hypotheses() {
			t.Errorf("%s: the test is another", name)
		}
		if got, want := read.Errors(), r.Errors(); got != want {
			t.Errorf("%s: errors %+v, were %+v", name, got, want)
		}
	}
}

// A record that was changed anywhere is refused.
func TestChangedRecordsAreRefused(t *testing.T) {
	t.Parallel()
	family, rounds := smallPlan(t).Family.Record(), smallRounds(t).Test.Record()
	for name, change := range map[string]func(r *Record){
		"alpha":             func(r *Record) { r.Alpha = 0.14 },
		"a delta of 0":      func(r *Record) { r.Delta = 0 },
		"gamma":             func(r *Record) { r.Gamma = 2 },
		"no sample":         func(r *Record) { r.Sample = SampleRecord{} },
		"two samples":       func(r *Record) { r.Sample.Pooled = []SampleRecord{{Fixed: 1}} },
		"another sample":    func(r *Record) { r.Sample.Fixed = 13 },
		"a huge sample":     func(r *Record) { r.Sample.Fixed = 1 << 30 },
		"pooled in pooled":  func(r *Record) { r.Sample = SampleRecord{Pooled: []SampleRecord{{Pooled: []SampleRecord{{Fixed: 1}}}}} },
		"a run of nothing":  func(r *Record) { r.Sample = SampleRecord{Sequential: &StopsRecord{0, ""}} },
		"a run cut short":   func(r *Record) { r.Sample = SampleRecord{Sequential: &StopsRecord{10, "U"}} },
		"no tiers":          func(r *Record) { r.Tiers = nil },
		"trials":            func(r *Record) { r.Tiers[0].MaxTrials++ },
		"too many trials":   func(r *Record) { r.Tiers[0].MaxTrials = 1 << 30 },
		"the guarded range": func(r *Record) { r.Tiers[0].Low = 0.8 },
		"no boundaries":     func(r *Record) { r.Tiers[0].Boundaries = "" },
		"another letter":    func(r *Record) { r.Tiers[0].Boundaries = "$" + r.Tiers[0].Boundaries[1:] },
		"cut off":           func(r *Record) { r.Tiers[0].Boundaries = r.Tiers[0].Boundaries[:20] },
		"more":              func(r *Record) { r.Tiers[0].Boundaries += "AA" },
		"a large number":    func(r *Record) { r.Tiers[0].Boundaries = strings.Repeat("_", 20) },
	} {
		changed, _ := again(t, family)
		change(&changed)
		if _, err := changed.Family(); err == nil {
			t.Errorf("%s: the family was read", name)
		}
	}
	for name, change := range map[string]func(r *RoundsRecord){
		"matched":         func(r *RoundsRecord) { r.Matched = true },
		"alpha":           func(r *RoundsRecord) { r.Alpha = 0.14 },
		"a guard of 2":    func(r *RoundsRecord) { r.High = 2 },
		"rounds":          func(r *RoundsRecord) { r.MaxRounds-- },
		"too many rounds": func(r *RoundsRecord) { r.MaxRounds = 1 << 30 },
		"another letter":  func(r *RoundsRecord) { r.Stops = "$" + r.Stops[1:] },
		"cut off":         func(r *RoundsRecord) { r.Stops = r.Stops[:20] },
		"more":            func(r *RoundsRecord) { r.Stops += "AA" },
		"a large number":  func(r *RoundsRecord) { r.Stops = strings.Repeat("_", 20) },
	} {
		changed, _ := again(t, rounds)
		change(&changed)
		if _, err := changed.Rounds(); err == nil {
			t.Errorf("%s: the test in rounds was read", name)
		}
	}
	// Every letter by another one.
	for i := range rounds.Stops {
		changed := rounds
		other := byte('A')
		if rounds.Stops[i] == other {
			other = 'C'
		}
		changed.Stops = rounds.Stops[:i] + string(other) + rounds.Stops[i+1:]
		if _, err := changed.Rounds(); err == nil {
			t.Errorf("with another letter at %d the test in rounds was read", i)
		}
	}
}

// Whatever a record holds, reading it ends with an error and does no harm.
func FuzzRecordFamily(f *testing.F) {
	f.Add("AAAA", 12, 20)
	f.Fuzz(func(t *testing.T, text string, baseline, trials int) {
		if baseline > 50 || trials > 100 {
			t.Skip("large families take long")
		}
		r := Record{Delta: 0.4, Alpha: 0.1, Beta: 0.1, Sample: SampleRecord{Fixed: baseline},
			Tiers: []TierRecord{{0.75, 1, trials, text}}}
		if _, err := r.Family(); err == nil {
			t.Error("a record without a digest was read")
		}
		r.Sample = SampleRecord{Sequential: &StopsRecord{trials, text}}
		if _, err := r.Family(); err == nil {
			t.Error("a record without a digest was read")
		}
		p := RoundsRecord{Delta: 0.4, Alpha: 0.1, Beta: 0.1, Low: 0.8, High: 1, MaxRounds: trials, Stops: text}
		if _, err := p.Rounds(); err == nil {
			t.Error("a record without a digest was read")
		}
	})
}
