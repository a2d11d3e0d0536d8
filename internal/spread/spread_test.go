package spread_test

import (
	"testing"

	"github.com/tribunal-dev/tribunal/internal/spread"
)

func TestEveryPlaceOnce(t *testing.T) {
	t.Parallel()
	for _, count := range []int{0, 1, 2, 3, 1000} {
		for name, over := range map[string]func(int, func(int)){"Over": spread.Over, "AtOnce": spread.AtOnce} {
			done := make([]int, count)
			over(count, func(i int) { done[i]++ })
			for i, times := range done {
				if times != 1 {
					t.Errorf("%s: place %d of %d was done %d times", name, i, count, times)
				}
			}
		}
	}
}

// A place may wait for another.
func TestAtOnceIsAtOnce(t *testing.T) {
	t.Parallel()
	lines := make([]chan int, 51)
	for i := range lines {
		lines[i] = make(chan int, 1)
	}
	lines[50] <- 0
	spread.AtOnce(50, func(i int) { lines[i] <- 1 + <-lines[i+1] })
	if hops := <-lines[0]; hops != 50 {
		t.Errorf("%d hops", hops)
	}
}
