package multiplicity

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/stats"
)

func TestAdjustReference(t *testing.T) {
	type args struct {
		Method string
		P      []float64
	}
	corrections := map[string]Correction{
		"holm": Holm, "benjamini-hochberg": BenjaminiHochberg, "benjamini-yekutieli": BenjaminiYekutieli,
	}
	refdata.Each(t, "adjust", func(t *testing.T, args args, want []float64) {
		got, err := Adjust(corrections[args.Method], args.P)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%v, error %v", got, err)
		}
		for i := range want {
			refdata.Close(t, fmt.Sprint(i), got[i], want[i], 1e-12)
		}
	})
}

func TestAdjustByHand(t *testing.T) {
	p := []float64{0.01, 0.04, 0.03, 0.005}
	for correction, want := range map[Correction][]float64{
		Holm:               {0.03, 0.06, 0.06, 0.02},
		BenjaminiHochberg:  {0.02, 0.04, 0.04, 0.02},
		BenjaminiYekutieli: {0.02 * 25 / 12, 0.04 * 25 / 12, 0.04 * 25 / 12, 0.02 * 25 / 12},
		NoCorrection:       p,
	} {
		got, err := Adjust(correction, p)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-15, 0)); diff != "" {
			t.Errorf("%v: %s", correction, diff)
		}
	}
}

func TestAdjustLaws(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 30).Draw(t, "p")
		correction := Correction(rapid.IntRange(int(Holm), int(NoCorrection)).Draw(t, "correction"))
		before := slices.Clone(p)
		got, err := Adjust(correction, p)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(p, before) {
			t.Fatalf("%v became %v", before, p)
		}
		for i := range p {
			if got[i] < p[i] || got[i] > 1 {
				t.Fatalf("%v is adjusted to %v", p[i], got[i])
			}
			for j := range p {
				if p[i] < p[j] && got[i] > got[j] || p[i] == p[j] && got[i] != got[j] {
					t.Fatalf("%v and %v are adjusted to %v and %v", p[i], p[j], got[i], got[j])
				}
			}
		}
		reversed := slices.Clone(p)
		slices.Reverse(reversed)
		other, err := Adjust(correction, reversed)
		slices.Reverse(other)
		if err != nil || !slices.Equal(other, got) {
			t.Fatalf("the order matters: %v, %v, error %v", got, other, err)
		}
		// Benjamini-Hochberg rejects what Holm rejects.
		if bh, _ := Adjust(BenjaminiHochberg, p); correction == Holm {
			for i := range p {
				if bh[i] > got[i]*(1+1e-15) {
					t.Fatalf("Benjamini-Hochberg %v above Holm %v", bh[i], got[i])
				}
			}
		}
	})
}

func TestAdjustRefuses(t *testing.T) {
	for _, bad := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1)} {
		got, err := Adjust(NoCorrection, []float64{0.5, bad})
		var argument *stats.ArgumentError
		if got != nil || !errors.As(err, &argument) || argument.Argument != "p-value 1" {
			t.Errorf("%v: %v, error %v", bad, got, err)
		}
	}
	if _, err := Adjust(Correction(7), nil); err == nil {
		t.Error("an unknown correction is accepted")
	}
	if got, err := Adjust(Holm, nil); err != nil || len(got) != 0 {
		t.Errorf("no p-values: %v, error %v", got, err)
	}
}

func TestCorrectionText(t *testing.T) {
	for correction, name := range map[Correction]string{Holm: "holm", BenjaminiHochberg: "bh", BenjaminiYekutieli: "by",
		NoCorrection: "none"} {
		text, err := json.Marshal(correction)
		var got Correction
		if err2 := json.Unmarshal(text, &got); err != nil || err2 != nil || got != correction ||
			string(text) != `"`+name+`"` {
			t.Errorf("%v is written as %s and read as %v: %v", correction, text, got, errors.Join(err, err2))
		}
	}
	if err := new(Correction).UnmarshalText([]byte("bonferroni")); err == nil {
		t.Error(`"bonferroni" is accepted`)
	}
	if _, err := Correction(-1).MarshalText(); err == nil {
		t.Error("an unknown correction is written")
	}
}

func FuzzAdjust(f *testing.F) {
	f.Add(0, 0.01, 0.04, 0.03)
	f.Add(3, math.NaN(), 1.0, 0.0)
	f.Fuzz(func(t *testing.T, correction int, p, q, r float64) {
		got, err := Adjust(Correction(correction), []float64{p, q, r})
		if err != nil {
			return
		}
		for _, value := range got {
			if !(value >= 0 && value <= 1) {
				t.Fatalf("%v", got)
			}
		}
	})
}

func ExampleAdjust() {
	adjusted, err := Adjust(Holm, []float64{0.01, 0.04, 0.03, 0.005})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", adjusted)
	// Output: [0.03 0.06 0.06 0.02]
}
