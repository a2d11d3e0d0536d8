package improvement

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt/keep"
	"github.com/tribunal-dev/tribunal/verdict"
)

// tested are attempts with these outcomes, from 0.
func tested(outcomes ...string) (list []Attempt) {
	for i, o := range outcomes {
		list = append(list, Attempt{Number: i, State: Tried, Outcomes: o})
	}
	return list
}

func judge(t testing.TB, e Evidence) *Result {
	t.Helper()
	r, err := Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// names are those of tests.
func names(n int) (list []string) {
	for i := range n {
		list = append(list, string(rune('a'+i)))
	}
	return list
}

// More passes, then fewer errors, then fewer failures; by hand, attempt by attempt.
func TestChampionByCount(t *testing.T) {
	attempts := tested("PPFE", "PPEE", "PFFF", "PPFF", "PPF.", "PPPE", "FPPP")
	attempts = append(attempts, Attempt{Number: 9, State: Tampered, Problem: "tests"})
	r := judge(t, Evidence{Asked: LoopSettings{By: ByCount, Attempts: 9}, Tests: names(4), Attempts: attempts,
		Stop: AttemptsOut})
	var champions []int
	for _, a := range r.Attempts {
		champions = append(champions, a.Judged.Champion)
	}
	// 1 has an error in place of a failure; 2 fewer passes; 3 a failure in place of an error; 4 has no report of d, which
	// has failed before: an error; 6 passes as many as 5, and has a failure in place of an error.
	if diff := cmp.Diff([]int{0, 0, 0, 3, 3, 5, 6, 6}, champions); diff != "" {
		t.Error(diff)
	}
	if r.Averted != 3 || r.Verdict != verdict.Fail {
		t.Errorf("averted %d, %v", r.Averted, r.Verdict)
	}
	// Six attempts were tried after the first, and three of them improved: (3+1)/(6+2).
	if r.Chance != 0.5 {
		t.Errorf("chance %v", r.Chance)
	}
}

// An error of something that is no test, such as a file that cannot be imported, is an error of its own attempt alone.
func TestErrorsOfNoTest(t *testing.T) {
	r := judge(t, Evidence{Asked: LoopSettings{By: ByCount}, Tests: names(3), Attempts: tested("..E", "PP."),
		Stop: AllPass})
	if r.Verdict != verdict.Pass || r.Champion != 1 || *r.Attempts[0].Judged.Counts != (Counts{Errors: 1}) {
		t.Errorf("%v, champion %d, %+v", r.Verdict, r.Champion, r.Attempts[0].Judged.Counts)
	}
}

// A test that flips counts for nobody from then on, for the champion neither.
func TestFlakyTests(t *testing.T) {
	attempts := tested("PPF", "PFF", "FFP")
	attempts[1].Again = ".PF" // the second passes now
	r := judge(t, Evidence{Asked: LoopSettings{By: ByCount}, Tests: names(3), Attempts: attempts, Stop: AttemptsOut})
	if diff := cmp.Diff([]string{"b"}, r.Flaky); diff != "" ||
		*r.Attempts[1].Judged.Best != (Counts{Passes: 1, Failures: 1, Flaky: 1}) {
		t.Errorf("%s, %+v", diff, r.Attempts[1].Judged.Best)
	}
	if r.Champion != 0 || r.Averted != 0 {
		t.Errorf("champion %d, averted %d", r.Champion, r.Averted)
	}
}

// In many tasks attempts are a random walk with a slight upward bias, as in the article on test-driven
// termination: about three of ten ship less than their second attempt was, where the last attempt is shipped. The
// champion never is.
func TestRandomWalksOfTheArticle(t *testing.T) {
	tasks := thorough.Draws(500, 10_000)
	random := rand.New(rand.NewPCG(17, 5))
	const tests = 17
	plain, ratchet := 0, 0
	for range tasks {
		// Each attempt starts from the one before: a test that fails is mended with one chance, one that passes breaks with
		// another.
		state := make([]byte, tests)
		for i := range state {
			state[i] = "FP"[random.IntN(2)]
		}
		var outcomes []string
		for range 5 {
			outcomes = append(outcomes, string(state))
			for i := range state {
				switch x := random.Float64(); {
				case state[i] == 'F' && x < .22:
					state[i] = 'P'
				case state[i] == 'P' && x < .14:
					state[i] = 'F'
				}
			}
		}
		second, last := strings.Count(outcomes[1], "P"), strings.Count(outcomes[4], "P")
		if last < second {
			plain++
		}
		r := judge(t, Evidence{Asked: LoopSettings{By: ByCount, Attempts: 4}, Tests: names(tests),
			Attempts: tested(outcomes...),
			Stop:     AttemptsOut})
		if strings.Count(outcomes[r.Champion], "P") < second {
			ratchet++
		}
	}
	share := float64(plain) / float64(tasks)
	t.Logf("of %d tasks %.1f %% ship less than their second attempt; with the champion %d", tasks, 100*share, ratchet)
	if ratchet != 0 || share < .2 || share > .4 {
		t.Errorf("%v without the ratchet, %d with it", share, ratchet)
	}
}

// The level of each attempt by pairs is that of its turn, and LORD++ gives some back after a keep.
func TestPairsHaveTheLevelOfTheirTurn(t *testing.T) {
	question := keep.Question{Gain: .4, Rate: .5, MaxPairs: 30}
	attempts := []Attempt{
		{Number: 1, State: Tried, Pairs: "mmmmmmm", MaxPairs: 30},
		{Number: 2, State: Tried, Pairs: "bbbbbbbbb", MaxPairs: 30},
		{Number: 3, State: Unread},
		{Number: 4, State: Tried, Pairs: "+-", MaxPairs: 30},
	}
	for _, spending := range []keep.Spending{keep.Bonferroni, keep.LORD} {
		asked := LoopSettings{By: ByPairs, Alpha: .5, Spending: &spending, Question: &question}
		e := Evidence{Asked: asked, Attempts: nil, Stop: AttemptsOut}
		var kept []bool
		// The pairs of an attempt are cut where they decide.
		for _, a := range attempts {
			if a.Pairs != "" {
				design, err := asked.Design(t.Context(), kept, a.MaxPairs)
				if err != nil {
					t.Fatal(err)
				}
				test := design.Begin()
				cut := ""
				for _, letter := range []byte(a.Pairs) {
					if test.Decision() == keep.Open {
						test.Observe(keep.Pair(letter))
						cut += string(letter)
					}
				}
				a.Pairs = cut
				kept = append(kept, test.Decision() == keep.Keep)
			} else {
				kept = append(kept, false)
			}
			e.Attempts = append(e.Attempts, a)
		}
		r := judge(t, e)
		want, err := spending.Next(.5, kept[:3])
		if err != nil || math.Abs(r.Attempts[3].Judged.Level-want) > 1e-15 ||
			r.Attempts[3].Judged.Decision != keep.Undecided {
			t.Errorf("%v: %+v, want the level %v, %v", spending, r.Attempts[3].Judged, want, err)
		}
	}
}

func TestEvidenceThatDoesNotFit(t *testing.T) {
	bonferroni := keep.Bonferroni
	pairs := LoopSettings{By: ByPairs, Alpha: .05, Spending: &bonferroni, Question: &keep.Question{MaxPairs: 20}}
	for name, e := range map[string]Evidence{
		"no basis":        {},
		"no question":     {Asked: LoopSettings{By: ByPairs}},
		"too few letters": {Asked: LoopSettings{By: ByCount}, Tests: names(2), Attempts: tested("P")},
		"other letters":   {Asked: LoopSettings{By: ByCount}, Tests: names(1), Attempts: tested("X")},
		"order": {Asked: LoopSettings{By: ByCount}, Tests: names(1),
			Attempts: []Attempt{{Number: 2, State: Tried, Outcomes: "P"}, {Number: 1, State: Tried, Outcomes: "P"}}},
		"state":              {Asked: LoopSettings{By: ByCount}, Attempts: []Attempt{{Number: 1, State: "x"}}},
		"letters of no pair": {Asked: pairs, Attempts: []Attempt{{Number: 1, State: Tried, Pairs: "x"}}},
		"more than decide": {Asked: pairs,
			Attempts: []Attempt{{Number: 1, State: Tried, Pairs: strings.Repeat("b", 40), MaxPairs: 20}}},
	} {
		different := new(verdict.DifferenceError)
		if _, err := Judge(t.Context(), e); !errors.As(err, &different) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add("PF", "FP", "mb+", 3)
	f.Fuzz(func(t *testing.T, first, second, pairs string, most int) {
		n := len(first)
		_, _ = Judge(t.Context(), Evidence{Asked: LoopSettings{By: ByCount}, Tests: make([]string, n),
			Attempts: tested(first, second)})
		spending := keep.LORD
		_, _ = Judge(t.Context(), Evidence{Asked: LoopSettings{By: ByPairs, Alpha: .05, Spending: &spending,
			Question: &keep.Question{}},
			Attempts: []Attempt{{Number: 1, State: Tried, Pairs: pairs, MaxPairs: most % 50}}})
	})
}
