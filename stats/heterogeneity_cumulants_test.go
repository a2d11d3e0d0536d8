package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// The gamma distribution gives about the p of drawn tables.
func TestHeterogeneityByCumulantsIsThatOfTheDrawnTables(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		groups, trials int
		opposite       float64
	}{{300, 10, 0}, {100, 40, 0.1}, {20, 400, 0.03}, {20, 400, 0}, {6, 900, 0.03}, {3, 2000, 0.015}, {3, 2000, 0},
		{2, 500, 0.02}} {
		for range 3 {
			groups := manyGroups(random, c.groups, c.trials, c.opposite)
			drawn, err := Heterogeneity(t.Context(), slices.Values(groups), 1)
			if err != nil {
				t.Fatal(err)
			}
			p, err := HeterogeneityByCumulants(t.Context(), slices.Values(groups))
			if err != nil {
				t.Fatal(err)
			}
			if c.groups > 2 {
				p /= 1.2 // which is exact of two groups, and cautious of more
			}
			// 1,000 hits end the draws: three standard errors of the share, and what the distribution errs by.
			if math.Abs(p-math.Min(drawn, 1/1.2)) > 0.003+0.12*drawn {
				t.Errorf("%+v: %v; drawn tables give %v", c, p, drawn)
			}
		}
	}
}

// Of two groups the p-value is that of all tables, written out by the distributions of both.
func TestHeterogeneityOfTwoGroupsIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	for range 50 {
		groups := [][]Stratum{randomStrata(random, 1+random.IntN(2), 60), randomStrata(random, 1, 200)}
		p, err := HeterogeneityByCumulants(t.Context(), slices.Values(groups))
		if err != nil {
			t.Fatal(err)
		}
		var parts []tiltedLaw
		observed := 0
		for _, strata := range groups {
			law, passes := massFunction{mass: []float64{1}}, 0
			for _, s := range strata {
				law = law.plus(t.Context(), candidatePasses(s))
				passes += s.Candidate.Passes
			}
			parts = append(parts, tiltedLaw{law: law, seen: passes})
			observed += passes
		}
		fit(parts, observed)
		if parts[0].variance < 1e-6 || parts[1].variance < 1e-6 {
			continue
		}
		all, extreme := 0.0, 0.0
		limit := (parts[0].distance(parts[0].seen) + parts[1].distance(parts[1].seen)) * (1 - 1e-9)
		for i, m := range parts[0].law.mass {
			passes := parts[0].law.first + i
			at := observed - passes - parts[1].law.first
			if at < 0 || at >= len(parts[1].law.mass) {
				continue
			}
			m *= parts[1].law.mass[at]
			if all += m; parts[0].distance(passes)+parts[1].distance(observed-passes) >= limit {
				extreme += m
			}
		}
		if want := extreme / all; math.Abs(p-want) > 1e-8+1e-6*want {
			t.Errorf("%v: p is %v, not %v", groups, p, want)
		}
	}
}

// levelSetting are groups of so many trials of the baseline and of the candidate, of which so many fail, and one whose
// passes vary much.
type levelSetting struct{ groups, baseline, candidate, fails int }

// Near the bound of what is left out, and with more and with fewer groups: under H0 small p-values are not more
// often than they say, among tables that are drawn from the exact distribution.
func TestHeterogeneityByCumulantsKeepsItsLevel(t *testing.T) {
	draws, settings := 20_000, []levelSetting{{20, 1000, 1000, 18}}
	if thorough.Asked() {
		draws = 100_000
		settings = append(settings, levelSetting{3, 2000, 2000, 112}, levelSetting{6, 1000, 1000, 58},
			levelSetting{50, 1000, 1000, 8}, levelSetting{100, 1000, 1000, 4}, levelSetting{50, 2000, 200, 22},
			levelSetting{200, 2000, 200, 14})
	}
	for _, c := range settings {
		strata := func(baseline, candidate, fails int) []Stratum {
			k := fails * candidate / (baseline + candidate)
			return []Stratum{{Counts{baseline - fails + k, baseline}, Counts{candidate - k, candidate}}}
		}
		alike := slices.Repeat([][]Stratum{strata(c.baseline, c.candidate, c.fails)}, c.groups-1)
		groups := append(alike, strata(300, 300, 300))
		h, err := newHeterogeneity(t.Context(), slices.Values(groups))
		if err != nil {
			t.Fatal(err)
		}
		if h.fit(t.Context()); h.leaveOut() {
			t.Fatalf("%+v: a group is left out", c)
		}
		mean, cumulants := h.statistic()
		var parts []tiltedLaw
		observed := 0
		sum := massFunction{mass: []float64{1}}
		for _, strata := range groups {
			parts = append(parts, tiltedLaw{law: candidatePasses(strata[0]).trimmed(cutOff), before: sum})
			sum = sum.plus(t.Context(), parts[len(parts)-1].law)
			observed += strata[0].Candidate.Passes
		}
		fit(parts, observed)
		random := rand.New(rand.NewPCG(1, 2))
		given := map[[2]int][]float64{}
		levels := []float64{.05, .0125, .01}
		small := make([]int, len(levels))
		for range draws {
			left, statistic := observed, 0.0
			for i := len(parts) - 1; i > 0; i-- {
				passes := parts[i].draw(random, given, i, left)
				statistic += parts[i].distance(passes)
				left -= passes
			}
			p := cautious(cumulants.p(statistic+parts[0].distance(left)-mean, float64(len(parts))))
			for i, level := range levels {
				if p <= level {
					small[i]++
				}
			}
		}
		for i, level := range levels {
			share := float64(small[i]) / float64(draws)
			t.Logf("%+v: %.5f of the p-values are at most %v", c, share, level)
			if share > level+3*math.Sqrt(level*(1-level)/float64(draws)) {
				t.Errorf("%+v: %.5f of the p-values are at most %v", c, share, level)
			}
		}
	}
}

// Groups that vary too little for their share of the statistic are left out, and with them alone there is nothing to
// test.
func TestHeterogeneityByCumulantsLeavesOut(t *testing.T) {
	group := func(b, nb, c, nc int) []Stratum { return []Stratum{{Counts{b, nb}, Counts{c, nc}}} }
	wide := [][]Stratum{group(30_000, 50_000, 29_000, 50_000), group(30_000, 50_000, 29_050, 50_000),
		group(20_000, 50_000, 18_900, 50_000)}
	want, err := HeterogeneityByCumulants(t.Context(), slices.Values(wide))
	if err != nil || !(want > 0 && want < 1) {
		t.Fatalf("p is %v, %v", want, err)
	}
	narrow := group(49_999, 50_000, 49_992, 50_000)
	got, err := HeterogeneityByCumulants(t.Context(), slices.Values(append(slices.Clone(wide), narrow)))
	if err != nil || math.Abs(got-want) > 1e-9 {
		t.Errorf("with a narrow group p is %v, %v; not %v", got, err, want)
	}
	pair := func(b, k int) []Stratum { return group(b, 1, k, 1) }
	for name, groups := range map[string][][]Stratum{
		"nothing":               nil,
		"all pass":              {pair(1, 1), pair(1, 1)},
		"one group":             {group(3, 5, 4, 6)},
		"narrow ones":           {narrow, narrow, narrow},
		"one trial a side each": slices.Repeat([][]Stratum{pair(1, 0), pair(0, 1), pair(1, 0), pair(1, 0), pair(1, 1)}, 100),
	} {
		if p, err := HeterogeneityByCumulants(t.Context(), slices.Values(groups)); err != nil || p != 1 {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	if _, err := HeterogeneityByCumulants(t.Context(), slices.Values([][]Stratum{group(3, 2, 1, 2)})); err == nil {
		t.Error("three passes of two trials are taken")
	}
}
