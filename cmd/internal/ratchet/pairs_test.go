package ratchet

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt/keep"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
)

// agentScript passes a trial with a probability of RATE of ten, by the seed of the trial and its own name.
const agentScript = `read -r request
seed=$(printf '%s' "$request" | sed 's/.*"seed":\([0-9]*\).*/\1/')
if [ $(( (seed / 7 + SALT * 13) % 10 )) -lt $RATE ]; then echo yes; else echo no; fi
`

// agents makes a suite of an agent that passes half of its trials, one that passes all, one that is no other, and one
// that fails all.
func agents(t testing.TB, scenarios int) *suite.Suite {
	t.Helper()
	folder := t.TempDir()
	text := "version: 1\nname: agents\nlimits: none\nagent: {command: [sh, ./agent.sh], env: {RATE: \"5\", SALT: " +
		"\"0\"}}\nvariants:\n" +
		"  - {name: current}\n  - {name: better, env: {RATE: \"10\"}}\n  - {name: other, env: {SALT: \"1\"}}\n  - {name: " +
		"broken, env: {RATE: \"0\"}}\n" +
		"test: {threshold: 0.9}\nscenarios:\n"
	for i := range scenarios {
		text += fmt.Sprintf("  - {name: s%d, input: x, evaluate: [{contains: \"yes\"}]}\n", i)
	}
	for name, text := range map[string]string{"tribunal.yaml": text, "agent.sh": agentScript} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s, err := suite.Load(filepath.Join(folder, "tribunal.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// quick asks for what few pairs tell.
var quick = Pairs{Alpha: .2, Question: keep.Question{Gain: .4, Rate: .5, MaxPairs: 40}}

// A session keeps what is better, reverts what is not, and gives each challenger the level of its turn.
func TestSession(t *testing.T) {
	s := agents(t, 10)
	if _, err := OpenSession(s, Options{}); !errors.Is(err, ErrNoSession) {
		t.Fatal(err)
	}
	session, err := BeginSession(s, quick, 1, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := BeginSession(s, quick, 1, Options{}); !errors.Is(err, errRunning) {
		t.Errorf("begun beside another: %v", err)
	}
	current := Side{s, "current"}
	for i, c := range []struct {
		variant string
		want    verdict.Verdict
	}{{"broken", verdict.Fail}, {"better", verdict.Pass}, {"broken", verdict.Fail}} {
		r, err := session.Try(t.Context(), current, Side{s, c.variant}, Bounds{})
		if err != nil {
			t.Fatal(err)
		}
		last := r.Attempts[len(r.Attempts)-1]
		n := float64(i + 1)
		if level := .2 * 6 / (math.Pi * math.Pi * n * n); r.Verdict != c.want || last.Number != i+1 ||
			math.Abs(last.Judged.Level-level) > 1e-12 {
			t.Errorf("%s: %v, attempt %d at %v, want %v: %v", c.variant, r.Verdict, last.Number, last.Judged.Level, level,
				r.Reasons)
		}
	}
	if err := session.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := BeginSession(s, quick, 1, Options{}); !errors.Is(err, ErrSessionBegun) {
		t.Errorf("begun over another: %v", err)
	}
	r, err := SessionStatus(t.Context(), s, Options{})
	if err != nil || len(r.Attempts) != 3 || r.Champion != 2 ||
		*r.Asked.Sets != (improvement.Sets{Search: 5, HeldOut: 3, Final: 2, Digest: r.Asked.Sets.Digest}) {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := OpenSession(agentsIn(t, s, "agents", 9), Options{}); !errors.Is(err, ErrOtherTask) {
		t.Errorf("a session of other scenarios: %v", err)
	}
}

// agentsIn is a suite with fewer scenarios in the folder of another.
func agentsIn(t *testing.T, s *suite.Suite, name string, scenarios int) *suite.Suite {
	t.Helper()
	text, err := os.ReadFile(s.File)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	at := filepath.Join(s.Dir(), name+".yaml")
	if err := os.WriteFile(at, []byte(strings.Join(lines[:len(lines)-1-(10-scenarios)], "")), 0o644); err != nil {
		t.Fatal(err)
	}
	other, err := suite.Load(at)
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// A try that was killed continues where it stopped, at its own level; another challenger pays for it.
func TestTryThatWasKilled(t *testing.T) {
	s := agents(t, 10)
	whole, err := BeginSession(s, quick, 3, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := whole.Try(t.Context(), Side{s, "current"}, Side{s, "other"}, Bounds{})
	if err = errors.Join(err, whole.Close()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(sessionFile(s))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	// Its first line, its beginning, three pairs and the beginning of a fourth.
	cut := strings.Join(lines[:5], "") + lines[5][:10]
	for _, c := range []struct {
		variant string
		number  int
	}{{"other", 1}, {"broken", 2}} {
		if err := os.WriteFile(sessionFile(s), []byte(cut), 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := OpenSession(s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := again.Try(t.Context(), Side{s, "current"}, Side{s, c.variant}, Bounds{})
		if err = errors.Join(err, again.Close()); err != nil {
			t.Fatal(err)
		}
		last := got.Attempts[len(got.Attempts)-1]
		if last.Number != c.number {
			t.Errorf("%s is attempt %d, want %d", c.variant, last.Number, c.number)
		}
		if diff := cmp.Diff(want.Attempts, got.Attempts); c.number == 1 && diff != "" {
			t.Error(diff)
		}
		if c.number == 2 && (got.Attempts[0].Judged.Decision != keep.Undecided || len(got.Attempts[0].Pairs) != 3) {
			t.Errorf("the one before: %+v", got.Attempts[0].Judged)
		}
	}
}

// The final set is opened once.
func TestFinalSet(t *testing.T) {
	s := agents(t, 10)
	session, err := BeginSession(s, quick, 1, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	f, err := session.OpenFinal(t.Context(), Side{s, "broken"}, Side{s, "better"}, 3)
	want := &Final{Scenarios: 2, Mended: 6}
	want.Champion.Trials, want.Challenger.Trials, want.Challenger.Passes = 6, 6, 6
	if diff := cmp.Diff(want, f); err != nil || diff != "" {
		t.Errorf("%v: %s", err, diff)
	}
	if _, err := session.OpenFinal(t.Context(), Side{s, "broken"}, Side{s, "better"}, 3); !errors.Is(err, ErrFinalOpened) {
		t.Errorf("opened again: %v", err)
	}
}

// The sets are those of the names and the seed, whatever the order of the suite; a scenario more moves few.
func TestSplit(t *testing.T) {
	var scenarios []suite.Scenario
	for i := range 100 {
		scenarios = append(scenarios, suite.Scenario{Name: fmt.Sprintf("s%d", i)})
	}
	membership := func(s sets) map[string]string {
		all := map[string]string{}
		for name, list := range map[string][]suite.Scenario{"search": s.search, "held out": s.heldOut, "final": s.final} {
			for _, c := range list {
				all[c.Name] = name
			}
		}
		return all
	}
	first := split(scenarios, 1)
	if len(first.search) != 50 || len(first.heldOut) != 30 || len(first.final) != 20 || len(membership(first)) != 100 {
		t.Errorf("%+v", first.summary())
	}
	back := append([]suite.Scenario{}, scenarios...)
	for i := range 50 {
		back[i], back[99-i] = back[99-i], back[i]
	}
	if diff := cmp.Diff(membership(first), membership(split(back, 1))); diff != "" {
		t.Error(diff)
	}
	moved := 0
	less := membership(split(scenarios[:99], 1))
	for name, set := range less {
		if membership(first)[name] != set {
			moved++
		}
	}
	if other := membership(split(scenarios, 2)); cmp.Equal(membership(first), other) || moved > 2 {
		t.Errorf("another seed splits alike, or %d moved", moved)
	}
}

// A loop over an agent that varies: what breaks it is reverted, and what mends it is kept.
func TestLoopByPairs(t *testing.T) {
	folder := t.TempDir()
	text := "version: 1\nname: agents\nlimits: none\nagent: {command: [sh, ./agent.sh], env: {SALT: \"0\"}}\ntest: " +
		"{threshold: 0.9}\nscenarios:\n"
	for i := range 6 {
		text += fmt.Sprintf("  - {name: s%d, input: x, evaluate: [{contains: \"yes\"}]}\n", i)
	}
	for name, text := range map[string]string{
		"tribunal.yaml": text, "agent.sh": "RATE=$(cat rate.txt)\n" + agentScript, "rate.txt": "5\n",
		"model.sh": "cat > prompt; case $RATCHET_ATTEMPT in 1) echo 0 ;; 2) echo 10 ;; *) exit 3 ;; esac\n",
		"ratchet.yaml": "version: 1\nname: rates\nfiles: [rate.txt]\nprotect: [tribunal.yaml, agent.sh]\nfix: {command: " +
			"[sh, model.sh]}\n" +
			"extract: {language: json}\nsuite: {alpha: 0.2, gain: 0.4, rate: 0.5, max_pairs: 40}\nattempts: 3\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r := run(t, folder, Options{})
	var decisions []keep.Decision
	for _, a := range r.Attempts {
		decisions = append(decisions, a.Judged.Decision)
	}
	if diff := cmp.Diff([]keep.Decision{keep.Revert, keep.Keep, keep.Revert}, decisions); diff != "" || r.Champion != 2 ||
		r.Verdict != verdict.Pass || r.Attempts[2].State != improvement.Unread {
		t.Errorf("champion %d, %v, %+v: %s", r.Champion, r.Verdict, r.Attempts, diff)
	}
	if now, err := os.ReadFile(filepath.Join(folder, "rate.txt")); err != nil || string(now) != "10\n" {
		t.Errorf("on disk %q, %v", now, err)
	}
	c, err := Load(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	status, err := Status(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Attempts, status.Attempts); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(r.Calls, status.Calls); diff != "" {
		t.Error(diff)
	}
}

// A guardrail ends the loop at once, whatever the program would do next; the current version stays.
func TestGuardEndsTheLoop(t *testing.T) {
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"id":"1","object":"chat.completion","model":"gpt-4o","choices":[{"index":0,"finish_reason":"tool_calls",`+
			`"message":{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"shell","arguments":`+
			`"{\"command\":\"git push --force\"}"}}]}}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`)
	}))
	defer model.Close()
	t.Setenv("OPENAI_BASE_URL", model.URL+"/v1")
	folder := project(t, "attempts: 3\nguard: contract.yaml\n", fenced([]string{"ok ok ok ok"})...)
	for name, text := range map[string]string{
		"contract.yaml": "version: 1\nname: no-force\nclauses:\n  - {name: no-force-push, kind: guardrail, forbid: " +
			"{commands: [\"git push --force*\"]}}\n",
		"model.sh": askVariable + "=1 " + os.Args[0] + "; sleep 30; " + modelScript,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r := run(t, folder, Options{})
	if r.Stop != improvement.Guarded || r.Champion != 0 || onDisk(t, folder) != walk[0] ||
		!strings.Contains(r.StopText, "no-force") ||
		r.Verdict != verdict.Inconclusive || len(r.Calls) != 1 || r.Calls[0].CostUSD == nil || r.Calls[0].Model != "gpt-4o" {
		t.Errorf("stopped by %s: %s, champion %d, %+v", r.Stop, r.StopText, r.Champion, r.Calls)
	}
}
