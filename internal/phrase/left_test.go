package phrase

import (
	"testing"
	"time"
)

func TestTimeLeft(t *testing.T) {
	for _, c := range []struct {
		least, most time.Duration
		open        bool
		want        string
	}{
		{time.Second, time.Minute, false, "an estimated 1s to 1m0s left"},
		{time.Minute, time.Minute, false, "an estimated 1m0s left"},
		{time.Minute, time.Hour, true, "an estimated 1m0s or more left"},
		{400 * time.Millisecond, time.Hour, true, ""}, // anything is 0s or more
	} {
		if got := TimeLeft(c.least, c.most, c.open); got != c.want {
			t.Errorf("%v to %v: %q, want %q", c.least, c.most, got, c.want)
		}
	}
}
