package change

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// A detector that is stored and read goes on as if nothing had been.
func TestStoredDetectorsGoOn(t *testing.T) {
	random := seeded.Stream(9, 0)
	rate, err := NewShiryaevRoberts(.9)
	if err != nil {
		t.Fatal(err)
	}
	number, err := NewConformal(Either, 3)
	if err != nil {
		t.Fatal(err)
	}
	every := thorough.Draws(7, 1)
	for i := range 2*recentTrials + 77 {
		pass, x := random.IntN(8) > 0, math.Exp(random.NormFloat64())
		if i%every != 0 {
			rate.Add(pass)
			_, _ = number.Add(x)
			continue
		}
		var rateAgain ShiryaevRoberts
		var numberAgain Conformal
		again(t, rate, &rateAgain)
		again(t, number, &numberAgain)
		if a, b := rate.Add(pass), rateAgain.Add(pass); a != b {
			t.Fatalf("evidence %v and %v", a, b)
		}
		a, _ := number.Add(x)
		if b, _ := numberAgain.Add(x); a != b {
			t.Fatalf("evidence %v and %v", a, b)
		}
		first, _ := rate.Onset(.05)
		if second, _ := rateAgain.Onset(.05); rate.Trials()%101 == 0 && first != second {
			t.Fatalf("onset %v and %v", first, second)
		}
	}
}

func again(t *testing.T, from, to any) {
	t.Helper()
	text, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, to); err != nil {
		t.Fatal(err)
	}
}

// Whatever is read goes on without a panic and with finite evidence.
func FuzzStoredDetectors(f *testing.F) {
	rate, _ := NewShiryaevRoberts(.9)
	number, _ := NewConformal(Rise, 3)
	for i := range 20 {
		rate.Add(i%3 > 0)
		_, _ = number.Add(float64(i * i))
	}
	for _, d := range []any{rate, number} {
		text, err := json.Marshal(d)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"baseline":0.5,"sums":[1e300,1,1,1,1,1,1,1,1,1,1,1],"recent":{"count":9007199254740993,"values":[]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var rate ShiryaevRoberts
		if json.Unmarshal(text, &rate) == nil {
			for i := range 50 {
				if x := rate.Add(i%5 == 0); !(x >= 0) || math.IsInf(x, 0) {
					t.Fatalf("evidence %v", x)
				}
			}
			_, _ = rate.Onset(.05)
		}
		var number Conformal
		if json.Unmarshal(text, &number) == nil {
			for i := range 50 {
				if x, err := number.Add(float64(i)); err != nil || !(x >= 0) || math.IsInf(x, 0) {
					t.Fatalf("evidence %v, %v", x, err)
				}
			}
			_, _ = number.Onset(.05)
		}
	})
}
