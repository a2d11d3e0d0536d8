package runner

import (
	"cmp"
	"slices"
)

// news are the tests about which something is new since their progress was last told. A run looks at them alone
// whenever an attempt ends, so that what an end takes does not grow with the tests.
type news struct{ tests []*testRun }

// add notes that something is new about a test.
func (n *news) add(t *testRun) {
	if !t.changed {
		t.changed = true
		n.tests = append(n.tests, t)
	}
}

// list returns the tests in the order of the options. It is theirs until the next is added.
func (n *news) list() []*testRun {
	slices.SortFunc(n.tests, func(a, b *testRun) int { return cmp.Compare(a.number, b.number) })
	return n.tests
}

// clear forgets what was told.
func (n *news) clear() {
	for _, t := range n.tests {
		t.changed = false
	}
	n.tests = n.tests[:0]
}
