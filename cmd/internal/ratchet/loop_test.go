package ratchet

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
)

// The walk goes up and down, and the champion never goes down. The counts are those of the words of the walk.
func TestLoopNeverGoesBackwards(t *testing.T) {
	folder := project(t, "attempts: 8\n", fenced(walk[1:])...)
	r := run(t, folder, Options{})
	var passes, champions []int
	for _, a := range r.Attempts {
		passes = append(passes, a.Judged.Counts.Passes)
		champions = append(champions, a.Judged.Best.Passes)
	}
	if diff := cmp.Diff([]int{0, 1, 2, 1, 3, 2, 2, 3, 2}, passes); diff != "" {
		t.Errorf("passes: %s", diff)
	}
	if diff := cmp.Diff([]int{0, 1, 2, 2, 3, 3, 3, 3, 3}, champions); diff != "" {
		t.Errorf("champion: %s", diff)
	}
	// Attempt 7 passes as many as attempt 4 and has an error where that has a failure: worse, and averted as 3, 5, 6 and
	// 8.
	if got := onDisk(t, folder); r.Champion != 4 || got != walk[4] || r.Averted != 5 ||
		r.Stop != improvement.AttemptsOut ||
		r.Verdict != verdict.Fail {
		t.Errorf("champion %d, on disk %q, averted %d, stopped by %s, %v", r.Champion, got, r.Averted, r.Stop, r.Verdict)
	}
	if entries, err := os.ReadDir(filepath.Join(folder, ".tribunal", "ratchet")); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// It ends as soon as all pass; after so many attempts without progress; and where another improvement is unlikely.
func TestLoopStops(t *testing.T) {
	for _, c := range []struct {
		more   string
		values []string
		stop   improvement.Stop
		made   int
	}{
		{"attempts: 8\n", []string{"ok ok bad bad", "ok ok ok ok"}, improvement.AllPass, 3},
		{"attempts: 8\nstop: {stalled: 2}\n", []string{"ok bad bad bad", "bad bad bad bad", "bad bad bad bad"},
			improvement.Stalled, 4},
		// After n attempts without an improvement the chance is 1/(n+2): 1/5 at three.
		{"attempts: 8\nstop: {least: 0.22}\n", slices.Repeat([]string{walk[0]}, 8), improvement.Unlikely, 4},
		{"attempts: 2\n", walk[1:], improvement.AttemptsOut, 3},
	} {
		folder := project(t, c.more, fenced(c.values)...)
		r := run(t, folder, Options{})
		if r.Stop != c.stop || len(r.Attempts) != c.made {
			t.Errorf("%q: stopped by %s after %d, want %s after %d", c.more, r.Stop, len(r.Attempts), c.stop, c.made)
		}
	}
}

// Attempts that edit the tests fail, whichever way they do it, and the tests are as they were.
func TestModelThatEditsTheTests(t *testing.T) {
	want := testScript
	for name, c := range map[string]struct{ more, model, answer string }{
		"in its answer": {"", modelScript, "```sh tests/run.sh\nexit 0\n```\n```txt value.txt\nok\nok\nok\nok\n```\n"},
		"in its copy":   {"", "echo exit 0 > tests/run.sh; " + modelScript, fenced([]string{"ok ok ok ok"})[0]},
		"a new one":     {"", "echo > tests/new.sh; " + modelScript, fenced([]string{"ok ok ok ok"})[0]},
		"in the project": {"", "echo exit 0 > ../../../../tests/run.sh; " + modelScript,
			fenced([]string{"ok ok ok ok"})[0]},
		"behind the champion's back": {"", "echo ok > ../../../../value.txt; " + modelScript,
			fenced([]string{"ok ok ok ok"})[0]},
	} {
		t.Run(name, func(t *testing.T) {
			folder := project(t, "attempts: 1\n"+c.more, c.answer)
			if err := os.WriteFile(filepath.Join(folder, "model.sh"), []byte(c.model), 0o755); err != nil {
				t.Fatal(err)
			}
			r := run(t, folder, Options{})
			if diff := cmp.Diff([]improvement.State{improvement.Tried, improvement.Tampered}, states(r)); diff != "" {
				t.Error(diff)
			}
			script, err := os.ReadFile(filepath.Join(folder, "tests", "run.sh"))
			if err != nil || string(script) != want || onDisk(t, folder) != walk[0] || r.Champion != 0 {
				t.Errorf("champion %d, on disk %q, %v", r.Champion, onDisk(t, folder), err)
			}
		})
	}
}

// What an attempt leaves beside its files has no effect on its tests: a copy of its own is tested.
func TestOtherFilesOfAnAttemptHaveNoEffect(t *testing.T) {
	folder := project(t, "attempts: 1\nextract: {language: none}\n")
	text, err := os.ReadFile(filepath.Join(folder, "ratchet.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	once := strings.Replace(string(text), "extract: {language: command, command: [\"true\"]}\n", "", 1)
	for name, text := range map[string]string{
		"ratchet.yaml": once, "model.sh": "printf 'ok\\nok\\nbad\\nbad\\n' > value.txt; mkdir bin; echo > helper.txt\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r := run(t, folder, Options{})
	if r.Champion != 1 || onDisk(t, folder) != "ok ok bad bad" {
		t.Errorf("champion %d, on disk %q", r.Champion, onDisk(t, folder))
	}
	if _, err := os.Stat(filepath.Join(folder, "helper.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that may not change came along: %v", err)
	}
}

// An answer that does not parse is nobody's attempt: it is not tested, and the current version stays.
func TestAnswersThatDoNotParse(t *testing.T) {
	folder := project(t, "attempts: 3\n", append(fenced([]string{"ok bad bad bad"}), "I cannot do that.", "")...)
	text, err := os.ReadFile(filepath.Join(folder, "ratchet.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	parser := strings.Replace(string(text), `command: ["true"]`, `command: [grep, -qx, ok]`, 1)
	if err := os.WriteFile(filepath.Join(folder, "ratchet.yaml"), []byte(parser), 0o644); err != nil {
		t.Fatal(err)
	}
	r := run(t, folder, Options{})
	want := []improvement.State{improvement.Tried, improvement.Tried, improvement.Unread, improvement.Unread}
	if diff := cmp.Diff(want, states(r)); diff != "" || r.Champion != 1 {
		t.Errorf("champion %d: %s", r.Champion, diff)
	}
}

// A test that comes to another end on the same files is flaky: it is reported, does not count, and is not chased.
func TestFlakyTestsAreNotChased(t *testing.T) {
	t.Setenv("FLIPS", filepath.Join(t.TempDir(), "flips"))
	folder := project(t, "attempts: 2\n", fenced([]string{"ok ok flip bad", "ok ok flip ok"})...)
	if err := os.WriteFile(filepath.Join(folder, "value.txt"), []byte(lines("ok bad flip bad")), 0o644); err != nil {
		t.Fatal(err)
	}
	r := run(t, folder, Options{})
	if diff := cmp.Diff([]string{"t.case3"}, r.Flaky); diff != "" {
		t.Error(diff)
	}
	if r.Champion != 2 || r.Stop != improvement.AllPass || r.Verdict != verdict.Pass {
		t.Errorf("champion %d, stopped by %s, %v", r.Champion, r.Stop, r.Verdict)
	}
	c, err := Load(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	prompts, err := c.Prompts(1)
	if err != nil || len(prompts) != 1 || strings.Contains(prompts[0].Text, "case3") ||
		!strings.Contains(prompts[0].Text, "case2") {
		t.Errorf("%v, %v", prompts, err)
	}
}

// A prompt to mend has the names of the tests that fail, what is told of them, the files and the rules: nothing of
// tests that pass.
func TestPromptsHoldWhatFails(t *testing.T) {
	folder := project(t, "attempts: 2\nrules: [Keep it short]\n", fenced(walk[2:4])...)
	run(t, folder, Options{})
	c, err := Load(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	prompts, err := c.Prompts(2)
	if err != nil {
		t.Fatal(err)
	}
	want := `Mend these files: 2 tests fail.

## t.case3

line 3 is bad

## t.case4

line 4 is bad

` + "``` value.txt\nok\nok\nbad\nbad\n```" + `

Rules:
- Keep it short
- Do not change tests/**: what is there is right
- Answer with each file that you change, whole, in a fenced block that names it
`
	if len(prompts) != 1 || prompts[0].Stage != fixStage {
		t.Fatalf("%+v", prompts)
	}
	if diff := cmp.Diff(want, prompts[0].Text); diff != "" {
		t.Error(diff)
	}
}

// The first attempt is made, reviewed and mended; later ones are mended alone.
func TestReviewIsOfTheFirstAttemptAlone(t *testing.T) {
	folder := project(t, "attempts: 2\ngenerate: {command: [sh, stage.sh]}\nreview: {command: [sh, stage.sh], route: "+
		"cheap}\n"+
		"routes: {cheap: {model: small}}\n")
	script := "case $RATCHET_STAGE in\nreview) echo \"line 2 is wrong\" ;;\n" +
		"generate) printf '```\\nok\\nbad\\nbad\\nbad\\n```\\n' ;;\n" +
		"rewrite) printf '```\\nok\\nok\\nbad\\nbad\\n```\\n' ;;\nfix) printf '```\\nok\\nok\\nok\\nbad\\n```\\n' ;;\nesac\n"
	for _, name := range []string{"stage.sh", "model.sh"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r := run(t, folder, Options{})
	var stages []string
	for _, call := range r.Calls {
		stages = append(stages, call.Stage+" "+call.Model)
	}
	if diff := cmp.Diff([]string{"generate ", "review small", "rewrite ", "fix "}, stages); diff != "" {
		t.Error(diff)
	}
	if onDisk(t, folder) != "ok ok ok bad" || r.Attempts[1].Judged.Counts.Passes != 2 {
		t.Errorf("on disk %q, attempt 1 passes %d", onDisk(t, folder), r.Attempts[1].Judged.Counts.Passes)
	}
}

// What programs tell of their tokens is priced, adds up by stage, and ends the loop at the cap.
func TestMoneyEndsTheLoop(t *testing.T) {
	folder := project(t, "attempts: 8\nbudget: {max_cost: 0.04}\nroutes: {mid: {model: m-1}}\n"+
		"prices: [{model: m-1, input: 10, output: 100}]\n")
	text := "version: 1\nname: values\nfiles: [value.txt]\ntests: {command: [sh, tests/run.sh, \"{report}\"]}\n" +
		"extract: {language: command, command: [\"true\"]}\nfix: {command: [sh, model.sh], route: mid}\nattempts: 8\n" +
		"budget: {max_cost: 0.04}\nroutes: {mid: {model: m-1}}\nprices: [{model: m-1, input: 10, output: 100}]\n"
	model := `echo '{"text": "bad", "input_tokens": 1000, "output_tokens": 50}'`
	for name, text := range map[string]string{"ratchet.yaml": text, "model.sh": model} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := run(t, folder, Options{})
	// 1000 tokens at 10 and 50 at 100 USD for a million are 0.015 USD a call: the third passes 0.04.
	if r.Stop != improvement.CostCap || len(r.Calls) != 3 || len(r.Spending) != 1 || r.Spending[0].Model != "m-1" ||
		r.CostUSD() < 0.0449 || r.CostUSD() > 0.0451 || r.Verdict != verdict.Inconclusive {
		t.Errorf("stopped by %s after %d calls, %+v, %v", r.Stop, len(r.Calls), r.Spending, r.Verdict)
	}
}

// A loop whose context ends leaves the champion, and goes on to the same end.
func TestInterruptedLoopGoesOn(t *testing.T) {
	want := run(t, project(t, "attempts: 8\n", fenced(walk[1:])...), Options{})
	folder := project(t, "attempts: 8\n", fenced(walk[1:])...)
	ctx, end := context.WithCancel(t.Context())
	r := runWithin(t, ctx, folder, Options{Told: func(text string) {
		if strings.HasPrefix(text, "attempt 3") {
			end()
		}
	}})
	if r.Stop != improvement.Interrupted || onDisk(t, folder) != walk[2] {
		t.Errorf("stopped by %s, on disk %q", r.Stop, onDisk(t, folder))
	}
	c, err := Load(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), c, Options{}); !errors.Is(err, ErrBegun) {
		t.Errorf("begun over an earlier loop: %v", err)
	}
	got := run(t, folder, Options{Resume: true})
	if diff := cmp.Diff(want.Attempts, got.Attempts); diff != "" || onDisk(t, folder) != walk[4] {
		t.Errorf("on disk %q: %s", onDisk(t, folder), diff)
	}
	status, err := Status(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Attempts, status.Attempts); diff != "" {
		t.Error(diff)
	}
}

// Who changes the files, the tests or the loop while no loop runs is told, and nothing of it is overwritten.
func TestChangesBetweenSessionsAreRefused(t *testing.T) {
	for name, want := range map[string]string{"value.txt": "somebody else", "tests/run.sh": "is protected",
		"ratchet.yaml": "another one"} {
		folder := project(t, "attempts: 2\n", fenced(walk[1:])...)
		run(t, folder, Options{})
		at := filepath.Join(folder, name)
		text, err := os.ReadFile(at)
		if err != nil {
			t.Fatal(err)
		}
		changed := append(text, "# mine\n"...)
		if err := os.WriteFile(at, changed, 0o644); err != nil {
			t.Fatal(err)
		}
		c, err := Load(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		l, err := Open(t.Context(), c, Options{Resume: true})
		if err == nil {
			_, err = l.Run(t.Context())
			if closed := l.Close(); closed != nil {
				t.Error(closed)
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
		if now, err := os.ReadFile(at); err != nil || string(now) != string(changed) {
			t.Errorf("%s was overwritten: %v", name, err)
		}
	}
}
