package guardrails_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
)

// A record has what was found, and no key of it.
func TestRecord(t *testing.T) {
	key := "ghp_" + strings.Repeat("a1B2", 9)
	found := &guardrails.Trial{}
	found.Add("repository", "git", "runs \"git push -f\"", false)
	found.Add("repository", "secrets", "hands over "+key, false)
	found.Add("repository", "git", "runs \"git clean -f\"", true)
	found.Add("other", "git", "runs \"git rebase\"", false)
	x := &trial.Trial{Extra: []trial.Member{{Name: "mine", Value: trial.Raw("1")},
		{Name: guardrails.Member, Value: trial.Raw(`{"clauses":[]}`)}}}
	found.Record(x)
	want := []trial.Member{{Name: "mine", Value: trial.Raw("1")}, {Name: "guardrails", Value: trial.Raw(`{"clauses":[` +
		`{"contract":"repository","clause":"git","denied":1,"killed":1,"example":"runs \"git push -f\""},` +
		`{"contract":"repository","clause":"secrets","denied":1,"example":"hands over [redacted key]"},` +
		`{"contract":"other","clause":"git","denied":1,"example":"runs \"git rebase\""}]}`)}}
	if diff := cmp.Diff(want, x.Extra); diff != "" {
		t.Error(diff)
	}
	if found.Clauses[1].Example = "hands over [redacted key]"; !cmp.Equal(found, guardrails.Of(x)) {
		t.Errorf("read back: %+v", guardrails.Of(x))
	}
	var none *guardrails.Trial
	none.Record(x)
	if diff := cmp.Diff(want[:1], x.Extra); diff != "" || guardrails.Of(x) != nil {
		t.Error(diff)
	}
	(&guardrails.Trial{}).Record(x)
	if read := guardrails.Of(x); string(x.Extra[1].Value) != "{}" || read == nil || len(read.Clauses) != 0 {
		t.Errorf("a guard that denied nothing: %s, %+v", x.Extra[1].Value, read)
	}
}

// What no guard writes is as if it were not there.
func TestRecordsOfOthers(t *testing.T) {
	clause := `{"contract":"c","clause":"%s","denied":%d,"killed":%d}`
	for _, value := range []string{
		"null", "1", `{"clauses":7}`, `{"clauses":[{"contract":"c","clause":"n"}]}`,
		`{"clauses":[` + fmt.Sprintf(clause, "n", -1, 0) + `]}`, `{"clauses":[` + fmt.Sprintf(clause, "n", 1, 2) + `]}`,
		`{"clauses":[` + fmt.Sprintf(clause, "n", 1, -1) + `]}`, `{"clauses":[` + fmt.Sprintf(clause, "n", 1<<30, 0) + `]}`,
		`{"clauses":[` + fmt.Sprintf(clause, "n", 1, 0) + "," + fmt.Sprintf(clause, "n", 2, 0) + `]}`,
		`{"clauses":[` + fmt.Sprintf(clause, "n", 0, 1) + "," + fmt.Sprintf(clause, "m", 0, 1) + `]}`,
		`{"clauses":[` + strings.Repeat(fmt.Sprintf(clause, "n", 1, 0)+",", 2000) + `{}]}`,
	} {
		x := &trial.Trial{Extra: []trial.Member{{Name: guardrails.Member, Value: trial.Raw(value)}}}
		if found := guardrails.Of(x); found != nil {
			t.Errorf("%.80s is %+v", value, found)
		}
	}
	long := `{"clauses":[{"contract":"` + strings.Repeat("c", 5000) + `","clause":"n","denied":3}]}`
	found := guardrails.Of(&trial.Trial{Extra: []trial.Member{{Name: guardrails.Member, Value: trial.Raw(long)}}})
	if found == nil || found.Clauses[0].Denied != 3 || len(found.Clauses[0].Contract) > 200 {
		t.Errorf("a long name: %+v", found)
	}
}

// A trial has room for so many clauses, and loses no call.
func TestManyClauses(t *testing.T) {
	found := &guardrails.Trial{}
	for i := range 1500 {
		found.Add("c", fmt.Sprint(i), "x", false)
	}
	var sum guardrails.Sum
	sum.Add(found)
	if c := sum.Counts(); c.Denied != 1500 || len(c.Clauses) != 1000 || found.Problem() != "" {
		t.Errorf("%d calls of %d clauses; %s", c.Denied, len(c.Clauses), found.Problem())
	}
}

// Counts are those of one call after the other, and each figure that is changed is found.
func TestCounts(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var sum guardrails.Sum
		guarded, with, denied, killed := 0, 0, 0, 0
		denials, kills, trials := map[string]int{}, map[string]int{}, map[string]int{}
		for range source.IntN(6) {
			if source.IntN(4) == 0 {
				sum.Add(nil)
				continue
			}
			one, seen := &guardrails.Trial{}, map[string]bool{}
			for call := range source.IntN(5) {
				name := string(rune('a' + source.IntN(3)))
				kill := call == 0 && source.IntN(2) == 0
				one.Add("c", name, "x", kill)
				if kill {
					kills[name]++
					killed++
				} else {
					denials[name]++
					denied++
				}
				seen[name] = true
			}
			for name := range seen {
				trials[name]++
			}
			if len(seen) > 0 {
				with++
			}
			guarded++
			sum.Add(one)
		}
		c := sum.Counts()
		if guarded == 0 {
			if c != nil {
				t.Fatalf("without a guard: %+v", c)
			}
			continue
		}
		if c.Guarded != guarded || c.Trials != with || c.Denied != denied || c.Killed != killed || c.Clauses == nil {
			t.Fatalf("%+v, of %d, %d, %d, %d", c, guarded, with, denied, killed)
		}
		for i, x := range c.Clauses {
			if x.Denied != denials[x.Clause] || x.Killed != kills[x.Clause] || x.Trials != trials[x.Clause] {
				t.Fatalf("%+v, of %v, %v, %v", x, denials, kills, trials)
			}
			if i > 0 && x.Denied+x.Killed > c.Clauses[i-1].Denied+c.Clauses[i-1].Killed {
				t.Fatalf("%+v come behind %+v", x, c.Clauses[i-1])
			}
		}
		if name, have, want := c.Problem(); name != "" {
			t.Fatalf("%s: %s, %s", name, have, want)
		}
	}
}

// Counts that do not add up are found.
func TestProblems(t *testing.T) {
	counts := func() *guardrails.Counts {
		return &guardrails.Counts{Guarded: 5, Trials: 3, Denied: 4, Killed: 1, Clauses: []guardrails.Clause{
			{Contract: "c", Clause: "a", Trials: 2, Denied: 3}, {Contract: "c", Clause: "b", Trials: 2, Denied: 1, Killed: 1},
		}}
	}
	if name, _, _ := counts().Problem(); name != "" {
		t.Fatal(name)
	}
	for want, change := range map[string]func(*guardrails.Counts){
		"guarded":            func(c *guardrails.Counts) { c.Guarded = 0 },
		"trials":             func(c *guardrails.Counts) { c.Guarded = 2 },
		"denied":             func(c *guardrails.Counts) { c.Denied++ },
		"killed":             func(c *guardrails.Counts) { c.Killed-- },
		"clauses[0].trials":  func(c *guardrails.Counts) { c.Clauses[0].Trials = 4 },
		"clauses[0].denied":  func(c *guardrails.Counts) { c.Clauses[0].Denied = 1 },
		"clauses[1].killed":  func(c *guardrails.Counts) { c.Clauses[1].Killed = 3 },
		"clauses[1].clause":  func(c *guardrails.Counts) { c.Clauses[1].Clause = "a" },
		"clauses[0].trials ": func(c *guardrails.Counts) { c.Clauses[0].Trials = 0 },
		"trials ":            func(c *guardrails.Counts) { c.Trials = 5 },
	} {
		c := counts()
		change(c)
		if name, have, _ := c.Problem(); name != strings.TrimSpace(want) {
			t.Errorf("%q: %q, %s", want, name, have)
		}
	}
}
