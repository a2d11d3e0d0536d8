package suite

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// described is a suite of which each part is changed by itself.
const described = `version: 1
name: shop
agent: {command: [./agent, --model, small], env: {REGION: eu}}
test: {threshold: 0.9}
limits: {max_turns: 9, max_cost_usd: 1}
scenarios:
  - {name: refund, input: {order: 1}, tags: [a], evaluate: [contains: x, contract: contract.yaml]}
  - {name: "a: b", limits: none, trials: 20}
  - {name: last}
`

func TestDescriptionChanges(t *testing.T) {
	before, err := Parse("testdata/tribunal.yaml", []byte(described))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		old, new string
		want     []string
	}{
		{"name: shop", "name: store", []string{"name: shop -> store"}},
		{"small]", "large]", []string{`agent.command: ["./agent","--model","small"] -> ["./agent","--model","large"]`}},
		{"threshold: 0.9", "threshold: 0.8", []string{"test.threshold: 0.9 -> 0.8"}},
		{"contains: x", "contains: y", []string{"scenarios.refund.evaluate changed"}},
		{"order: 1", "order: 2", []string{"scenarios.refund.input changed"}},
		{"tags: [a]", "tags: [a, b]", []string{"scenarios.refund.tags changed"}},
		{"max_turns: 9", "max_turns: 8", []string{"scenarios.refund.limits changed", "scenarios.last.limits changed"}},
		{"contains: x, contract: contract.yaml", "contains: x", []string{"scenarios.refund.evaluate changed",
			"scenarios.refund.contracts changed"}},
		{"limits: none, ", "", []string{`scenarios."a: b".limits changed`}},
		{"trials: 20", "trials: 30", []string{`scenarios."a: b".trials: 20 -> 30`}},
		{"name: last", "name: end", []string{"scenarios.last is gone", "scenarios.end is new"}},
		{"test:", "order: listed\ntest:", []string{"order: interleaved -> listed"}},
		{"concurrency", "concurrency", nil},
		{"limits: {max", "concurrency: 9\nlimits: {max", nil},
	} {
		after, err := Parse("testdata/tribunal.yaml", []byte(strings.Replace(described, c.old, c.new, 1)))
		if err != nil {
			t.Fatal(err)
		}
		got := DescriptionChanges(before.Description(), after.Description())
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.new, diff)
		}
		// The digest and what is said of it agree.
		if (before.Digest() == after.Digest()) != (len(got) == 0) {
			t.Errorf("%s: the digests are %s and %s, and changed is %v", c.new, before.Digest(), after.Digest(), got)
		}
	}
	lines := strings.SplitAfter(described, "\n")
	moved := strings.Join(append(append(lines[:6:6], lines[8], lines[6]), lines[7]), "")
	after, err := Parse("testdata/tribunal.yaml", []byte(moved))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"the order of the scenarios changed"}
	if got := DescriptionChanges(before.Description(), after.Description()); !cmp.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
