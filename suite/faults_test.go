package suite

import (
	"strings"
	"testing"
)

// TestFaultsAreOfTheTask makes runs with other faults others, and compares none with them.
func TestFaultsAreOfTheTask(t *testing.T) {
	const text = "version: 1\nname: a\nagent: {command: [x]}\nwire: true\ntest: {threshold: 0.9}\nlimits: none\n" +
		"scenarios: [{name: one, expect: {status: completed}FAULTS}]\n"
	digests, tasks := map[string]bool{}, map[string]bool{}
	for _, faults := range []string{"", ", faults: [reset]", ", faults: [{kind: reset, at: 2}]",
		", faults: [reset, slow]"} {
		s, err := Parse("tribunal.yaml", []byte(strings.Replace(text, "FAULTS", faults, 1)))
		if err != nil {
			t.Fatal(err)
		}
		digests[s.Digest()], tasks[s.Task().Digest] = true, true
	}
	if len(digests) != 4 || len(tasks) != 4 {
		t.Errorf("%d digests and %d tasks of 4 suites", len(digests), len(tasks))
	}
}
