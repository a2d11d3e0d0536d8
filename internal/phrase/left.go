package phrase

import "time"

// TimeLeft says how long something still takes, from the least to the most: "an estimated 2m0s to 5m0s left". Open says
// that the most is not known; "" where nothing is known of either.
func TimeLeft(least, most time.Duration, open bool) string {
	low, high := least.Round(time.Second).String(), most.Round(time.Second).String()
	switch {
	case open && low == "0s":
		return ""
	case open:
		return "an estimated " + low + " or more left"
	case low == high:
		return "an estimated " + low + " left"
	}
	return "an estimated " + low + " to " + high + " left"
}
