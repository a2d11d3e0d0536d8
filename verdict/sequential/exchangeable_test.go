package sequential

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// labelled records trials of scenarios named by letters, all of which pass.
func labelled(scenarios string) *recording.Recording {
	r := &recording.Recording{}
	for _, s := range scenarios {
		r.Add(&trial.Trial{Scenario: string(s), Outcome: trial.Pass})
	}
	return r
}

// D(n) of a a b b by hand: the shares are a half each; after 1 trial (1-1/2)²+(1/2)² over
// 1·3/4, after 2 trials 1+1 over 2·1/2, after 3 as after 1, backwards.
func TestUnevenness(t *testing.T) {
	labels, shares := labelsOf(labelled("aabb"))
	got := unevenness(labels, shares)
	if math.Abs(got[0]-2) > 1e-12 || math.Abs(got[1]-(2./3+2+2./3)) > 1e-12 || got[2] != 2 {
		t.Errorf("%v", got)
	}
}

// All orders of four trials of each of two scenarios are 70; two of them, one after the other,
// are the most uneven: p is 2/70, but for the 999 that are drawn.
func TestOrderPByEnumeration(t *testing.T) {
	p := orderP(labelled("aaaabbbb"))
	if sd := math.Sqrt(2. / 70 * 68 / 70 / 999); math.Abs(p-2./70) > 4*sd {
		t.Errorf("%v, not about %v", p, 2./70)
	}
}

func TestOrderPOfOneOrder(t *testing.T) {
	for _, scenarios := range []string{"", "a", "aaaa", "abcd"} {
		if p := orderP(labelled(scenarios)); p != 1 {
			t.Errorf("%q: %v", scenarios, p)
		}
	}
}

// In a random order a p-value of x or less comes up in a share x of the recordings at most; 400 of
// them leave 1.1 points at .05 and 2.5 at .5.
func TestOrderPIsUniform(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	small, half := 0, 0
	for range 400 {
		text := []byte("aaaaaaaaaabbbbbbbbbbccccccccccdddde")
		random.Shuffle(len(text), func(i, j int) { text[i], text[j] = text[j], text[i] })
		p := orderP(labelled(string(text)))
		if p <= .05 {
			small++
		}
		if p <= .5 {
			half++
		}
	}
	if small > 34 || half > 231 || half < 169 {
		t.Errorf("%d at .05, %d at .5", small, half)
	}
}
