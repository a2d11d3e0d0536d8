package evidence

import "testing"

func TestRatiosAreNoFiles(t *testing.T) {
	for text, want := range map[string]bool{
		"19/20": true, "0/0": true, " 1 / 2 ": true, "20/19": true,
		"main.jsonl": false, "runs/1": false, "./19/20": false, "19/20/21": false, "-": false, "": false, "-1/2": false,
		"19/x": false,
	} {
		if IsRatio(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}
