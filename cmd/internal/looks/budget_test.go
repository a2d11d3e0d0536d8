package looks

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/suite"
)

func spend(t *testing.T, file string, s Spending) Share {
	t.Helper()
	share, err := Spend(file, s)
	if err != nil {
		t.Fatal(err)
	}
	return share
}

// Look i has one part in i(i+1); the parts of all looks together are 1 - 1/(n+1), never more
// than 1, until they are too small to test with.
func TestPartsOfLooksSumToLessThanOne(t *testing.T) {
	file := filepath.Join(t.TempDir(), File)
	sum, looks := new(big.Rat), 0
	for {
		share, err := Spend(file, Spending{Task: "t", Evidence: strconv.Itoa(looks)})
		if errors.Is(err, ErrSpent) {
			break
		}
		looks++
		if err != nil || share != (Share{looks, looks * (looks + 1)}) {
			t.Fatalf("look %d: %+v, %v", looks, share, err)
		}
		sum.Add(sum, big.NewRat(1, int64(share.Of)))
	}
	if want := big.NewRat(int64(looks), int64(looks)+1); sum.Cmp(want) != 0 || (looks+1)*(looks+2) <= suite.MostLooks {
		t.Errorf("%d looks have %v in all, want %v", looks, sum, want)
	}
	// What was looked at may be looked at again, and another task has looks of its own.
	if got := spend(t, file, Spending{Task: "t", Evidence: "2"}); got != (Share{3, 12}) {
		t.Errorf("the third look again: %+v", got)
	}
	if got := spend(t, file, Spending{Task: "other", Evidence: "x"}); got != (Share{1, 2}) {
		t.Errorf("another task: %+v", got)
	}
}

// Evidence that was made with a part of its own has it, if so much is left.
func TestPartsThatEvidenceWasMadeWith(t *testing.T) {
	file := filepath.Join(t.TempDir(), File)
	run := spend(t, file, Spending{Task: "t", Evidence: "began", Command: "run"})
	spend(t, file, Spending{Task: "t", Evidence: "outcomes", Command: "run", Share: run})
	whole := Spending{Task: "t", Evidence: "elsewhere", Command: "gate", Share: Share{Of: 1}}
	if _, err := Spend(file, whole); !errors.Is(err, ErrSpent) {
		t.Errorf("a result at the whole level after a look: %v", err)
	}
	for _, c := range []struct {
		name string
		s    Spending
		want Share
	}{
		{"the result of the run", Spending{Task: "t", Evidence: "outcomes", Command: "gate", Share: Share{Of: 2}},
			Share{1, 2}},
		{"the run goes on", Spending{Task: "t", Evidence: "more", Command: "run", Continues: true}, Share{1, 2}},
		{"half of what is left", Spending{Task: "t", Evidence: "made", Share: Share{Of: 4}}, Share{2, 4}},
		{"a quarter of a quarter", Spending{Task: "t", Evidence: "next"}, Share{3, 16}},
		{"evidence that grew", Spending{Task: "t", Evidence: "next and more",
			Grew: func(e string) bool { return e == "next" }},
			Share{3, 16}},
	} {
		if got := spend(t, file, c.s); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	// The looks that are counted alone, and those that spend, stand beside each other.
	if got := count(t, file, entry("a", 0), Sight{}); got != 0 {
		t.Errorf("%d looks before the first that is counted", got)
	}
	if got := spend(t, file, Spending{Task: "t", Evidence: "made"}); got != (Share{2, 4}) {
		t.Errorf("after a look that is counted: %+v", got)
	}
}

// In many sessions somebody asks twenty times whether a rate of 0.8 is above 0.8, of trials that are made anew or that
// grow. With the parts of the ledger a false yes is heard in at most alpha of them; with all of alpha at
// each look in far more, so that this could fail.
func TestSessionsOfLooks(t *testing.T) {
	sessions := thorough.Draws(400, 2000)
	const alpha, rate, looks = 0.05, 0.8, 20
	falseYes := func(grows, parts bool) (said int) {
		random := rand.New(rand.NewPCG(5, 6))
		for range sessions {
			var earlier []Spending
			var seen stats.Counts
			for look := range looks {
				if !grows {
					seen = stats.Counts{}
				}
				for range 30 {
					seen.Trials++
					if random.Float64() < rate {
						seen.Passes++
					}
				}
				level := alpha
				if parts {
					share, known, err := next(earlier, Spending{Evidence: strconv.Itoa(look)})
					if err != nil || known {
						t.Fatal(share, known, err)
					}
					earlier = append(earlier, Spending{Evidence: strconv.Itoa(look), Share: share})
					level = alpha / float64(share.Of)
				}
				// Level 2α of the interval, of which α is the error of its lower limit: the level is used in full.
				if i, err := stats.ClopperPearson(seen, 2*level); err != nil || i.Low >= rate {
					said++
					break
				}
			}
		}
		return said
	}
	n := float64(sessions)
	limit := n*alpha + 4*math.Sqrt(n*alpha*(1-alpha))
	for _, grows := range []bool{false, true} {
		with, without := falseYes(grows, true), falseYes(grows, false)
		t.Logf("grows %v: %d of %d sessions heard a false yes, %d where each look had all of the level", grows, with,
			sessions, without)
		if float64(with) > limit || float64(without) < limit {
			t.Errorf("grows %v: %d and %d of %d sessions heard a false yes", grows, with, without, sessions)
		}
	}
}
