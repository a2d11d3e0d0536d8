package design

import (
	"errors"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
)

func TestMemoryIsBounded(t *testing.T) {
	var m memory[int, int]
	computed := 0
	value := func(key int) int {
		value, err := m.of(key, func() (int, error) { computed++; return 2 * key, nil })
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	for i := range 3 * mostRemembered {
		for range 2 {
			if got := value(i); got != 2*i {
				t.Fatalf("of %d: %d", i, got)
			}
		}
	}
	if len(m.known) != mostRemembered || len(m.order) != mostRemembered || computed != 3*mostRemembered {
		t.Errorf("%d values are remembered, and %d were computed", len(m.known), computed)
	}
	if value(0); computed != 3*mostRemembered+1 {
		t.Error("the first one is not forgotten")
	}
	// What could not be computed is not remembered.
	broken := errors.New("broken")
	if _, err := m.of(-1, func() (int, error) { return 0, broken }); err != broken {
		t.Error(err)
	}
	if got := value(-1); got != -2 {
		t.Errorf("after an error: %d", got)
	}
}

// What is remembered is what is computed, of each design and each question its own.
func TestFiguresOfDesignsAreRemembered(t *testing.T) {
	for trials := range 20 {
		d := fixed(t, trials+3)
		want, err := d.Errors()
		if err != nil {
			t.Fatal(err)
		}
		d.Hypotheses.Alpha -= float64(trials) / 100
		h := sprt.Hypotheses{Threshold: 0.9, Delta: 0.1 + float64(trials)/100, Alpha: 0.05, Beta: 0.1}
		fixed, found := h.FixedSample()
		for range 2 {
			if got, err := ErrorsOf(d, d.Digest()); got != want || err != nil {
				t.Errorf("%d trials: %+v, %v, want %+v", trials, got, err, want)
			}
			if got, ok := FixedSample(h); got != fixed || ok != found {
				t.Errorf("%+v: %+v, want %+v", h, got, fixed)
			}
		}
	}
	if _, found := FixedSample(sprt.Hypotheses{}); found {
		t.Error("there is nothing to test")
	}
}
