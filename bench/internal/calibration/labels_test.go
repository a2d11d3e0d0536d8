package calibration

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/twophase"
)

// The chance of a claim is that of all samples one by one, on both sides and by both methods.
func TestClaimsAreThoseOfAllSamples(t *testing.T) {
	for _, m := range []twophase.Method{twophase.Certified, twophase.Calibrated} {
		for _, below := range []bool{false, true} {
			l := labelSetting{judged: 14, labels: 7, rate: .6, sensitivity: .9, specificity: .7, below: below}
			const threshold = .55
			got, err := l.claims(t.Context(), m, threshold)
			if err != nil {
				t.Fatal(err)
			}
			share := .6*.9 + .4*.3
			want := 0.0
			for passed, mass := range binomialMasses(l.judged, share) {
				n1, n0 := twophase.Allocate(l.labels, l.judged, passed)
				mass1, mass0 := binomialMasses(n1, .6*.9/share), binomialMasses(n0, .6*.1/(1-share))
				for right := range n1 + 1 {
					for wrong := range n0 + 1 {
						s := twophase.Sample{
							Judged: l.judged, Passed: passed, OfPassed: stats.Counts{Passes: right, Trials: n1},
							OfFailed: stats.Counts{Passes: wrong, Trials: n0},
						}
						test := m.Above
						if below {
							test = m.Below
						}
						if p, err := test(t.Context(), s, threshold); err != nil {
							t.Fatal(err)
						} else if p <= labelAlpha {
							want += mass * mass1[right] * mass0[wrong]
						}
					}
				}
			}
			if math.Abs(got-want) > 1e-5 || want == 0 {
				t.Errorf("method %d, below %v: %v, and one by one %v", m, below, got, want)
			}
		}
	}
}

// There are 200 settings, each another, from 30 labels on.
func TestLabelSettings(t *testing.T) {
	seen := map[labelSetting]bool{}
	for _, l := range labelSettings(&calibrator{}) {
		if seen[l] = true; l.labels < 30 || l.judged < l.labels {
			t.Errorf("%v", l)
		}
	}
	if len(seen) != 200 {
		t.Errorf("%d settings", len(seen))
	}
}
