package runner

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Progress tells what is in flight once nothing more is to be launched.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(long(t, 6), lasting(func(r Request) time.Duration { return time.Duration(1+r.Trial) * time.Second }),
			"s")
		o.Concurrency = 4
		var got []string
		o.Progress = func(p Progress) {
			got = append(got, fmt.Sprint(p.Elapsed, " ", p.Trials, " judged, ", p.InFlight, " in flight, ", p.Outcome))
		}
		mustRun(t, o)
		want := []string{
			"0s 0 judged, 4 in flight, undecided", "1s 1 judged, 4 in flight, undecided", "2s 2 judged, 4 in flight, undecided",
			"3s 3 judged, 3 in flight, undecided", "4s 4 judged, 2 in flight, undecided", "6s 5 judged, 1 in flight, undecided",
			"8s 6 judged, 0 in flight, pass",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
