package coverage

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// The counts and estimates of scikit-bio's tests of chao1 with bias_corrected=False; and,
// worked out by hand, the spiders that come with iNEXT: 168 of 26 kinds where trees were
// girdled, 252 of 37 where they were logged.
func TestChao1(t *testing.T) {
	for _, c := range []struct {
		name              string
		seen, once, twice int
		want              float64
	}{
		{"scikit-bio counts", 9, 3, 3, 10.5},
		{"scikit-bio no singles", 4, 0, 2, 4},
		{"scikit-bio no doubles", 4, 2, 0, 5},
		{"spiders girdled", 26, 12, 4, 44},
		{"spiders logged", 37, 14, 4, 61.5},
		{"nothing", 0, 0, 0, 0},
		{"one", 1, 1, 0, 1},
		{"all once", 10, 10, 0, 55},
		{"negative", -1, -2, -3, 0},
	} {
		if got := Chao1(c.seen, c.once, c.twice); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// By hand, from the formulas of Chao 1987: of 54 kinds in 150 trials nine in one trial and one in two,
// 54 + 149/150·81/2.
func TestChao2(t *testing.T) {
	for _, c := range []struct {
		name                      string
		trials, seen, once, twice int
		want                      float64
	}{
		{"both", 150, 54, 9, 1, 94.23},
		{"none twice", 20, 6, 4, 0, 6 + 0.95*6},
		{"none once", 20, 6, 0, 2, 6},
		{"one trial", 1, 5, 5, 0, 5},
		{"no trials", 0, 0, 0, 0, 0},
		{"negative", -1, -1, -1, -1, 0},
	} {
		if got := chao2(c.trials, c.seen, c.once, c.twice); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestCompleteness(t *testing.T) {
	for _, c := range []struct {
		name               string
		draws, once, twice int
		want               float64
	}{
		{"spiders girdled", 168, 12, 4, 1 - 12.0/168*2004/2012}, // 0.9289
		{"spiders logged", 252, 14, 4, 1 - 14.0/252*3514/3522},  // 0.9446
		{"no draws", 0, 0, 0, 0},
		{"one draw", 1, 1, 0, 0},
		{"twice the same", 2, 0, 1, 1},
		{"none once", 10, 0, 5, 1},
		{"none twice", 10, 4, 0, 1 - 4.0/10*27/29},
		{"all once", 3, 3, 0, 1 - 4.0/6},
	} {
		if got := Completeness(c.draws, c.once, c.twice); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if got := Completeness(168, 12, 4); math.Round(got*1e4) != 9289 {
		t.Errorf("girdled: %v", got)
	}
	if got := Completeness(252, 14, 4); math.Round(got*1e4) != 9446 {
		t.Errorf("logged: %v", got)
	}
}

func TestChaoLaws(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		once, twice := rapid.IntRange(0, 1000).Draw(t, "once"), rapid.IntRange(0, 1000).Draw(t, "twice")
		seen := once + twice + rapid.IntRange(0, 1000).Draw(t, "more")
		draws := once + 2*twice + 3*(seen-once-twice)
		if x := Chao1(seen, once, twice); x < float64(seen) || math.IsInf(x, 0) {
			t.Fatalf("estimate %v of %d seen", x, seen)
		}
		if x := Completeness(draws, once, twice); !(x >= 0 && x <= 1) {
			t.Fatalf("completeness %v", x)
		}
		if once > 0 && twice > 0 && Chao1(seen, once-1, twice+1) > Chao1(seen, once, twice) {
			t.Fatal("a path that is seen again raises the estimate")
		}
	})
}

// Whatever the counts are, the estimates are numbers within their range.
func FuzzChao(f *testing.F) {
	f.Add(168, 26, 12, 4)
	f.Add(0, 0, 0, 0)
	f.Add(-1, math.MinInt, math.MaxInt, -7)
	f.Fuzz(func(t *testing.T, draws, seen, once, twice int) {
		if x := Chao1(seen, once, twice); !(x >= float64(max(seen, 0))) || math.IsInf(x, 0) {
			t.Errorf("estimate %v", x)
		}
		if x := Completeness(draws, once, twice); !(x >= 0 && x <= 1) {
			t.Errorf("completeness %v", x)
		}
	})
}
