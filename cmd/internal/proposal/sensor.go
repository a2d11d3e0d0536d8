package proposal

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// Sensor is an evaluator that tells the trials of two agents apart, as it was tried on trials of both.
type Sensor struct {
	YAML     string       // for the list evaluate of a scenario, such as "must-call: ask_manager"
	Original stats.Counts // trials that pass it
	Changed  stats.Counts // the same of the other agent
	P        float64      // Fisher's exact test of that the original passes it no more often, for all that were tried
}

// The shares of trials that make a candidate: what the original does in nearly every trial, or never. Chosen.
const (
	leastKept    = 0.95
	mostOutput   = 200 // characters of an output in which words are sought
	mostSensors  = 3
	sensorsAlpha = 0.05
)

// Sensors returns evaluators that trials of an agent pass, and fewer of the agent that was made of it: what a suite
// would need to see the change. Each was run on all the trials that are given, which are of one scenario; a trial that
// it cannot judge counts as not passed. One is kept where at least 95 % of the original's trials pass it, and it passes
// less often on the changed agent's, by Fisher's exact test at 5 % that allows for how many were tried (Bonferroni).
// The best of each kind come first, three at most.
func Sensors(ctx context.Context, original, changed []*trial.Trial) ([]Sensor, error) {
	if len(original) == 0 || len(changed) == 0 {
		return nil, nil
	}
	list, err := candidates(original, changed)
	if err != nil {
		return nil, err
	}
	var kept []Sensor
	for _, c := range list {
		s := Sensor{YAML: c.yaml, Original: passing(ctx, c.evaluator, original), Changed: passing(ctx, c.evaluator, changed)}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if float64(s.Original.Passes) < leastKept*float64(s.Original.Trials) {
			continue
		}
		p, err := stats.FisherLess(s.Original, s.Changed)
		if err != nil {
			return nil, err
		}
		if s.P = math.Min(1, p*float64(len(list))); s.P <= sensorsAlpha {
			kept = append(kept, s)
		}
	}
	slices.SortStableFunc(kept, func(a, b Sensor) int { return cmp.Compare(a.P, b.P) })
	// One of each kind: ten phrases that are gone say no more than the best of them.
	kinds := map[string]bool{}
	kept = slices.DeleteFunc(kept, func(s Sensor) bool {
		kind, _, _ := strings.Cut(s.YAML, ":")
		again := kinds[kind]
		kinds[kind] = true
		return again
	})
	return kept[:min(len(kept), mostSensors)], nil
}

// passing counts the trials that pass an evaluator.
func passing(ctx context.Context, e oracle.Evaluator, trials []*trial.Trial) (c stats.Counts) {
	for _, t := range trials {
		c.Trials++
		if e.Evaluate(ctx, oracle.Evidence{Trial: t}).Outcome == trial.Pass {
			c.Passes++
		}
	}
	return c
}

// candidate is an evaluator that may tell agents apart.
type candidate struct {
	yaml      string
	evaluator oracle.Evaluator
}

// candidates are the evaluators that are tried: of tools that one side calls, of words that one side writes, and of how
// long outputs are.
func candidates(original, changed []*trial.Trial) (list []candidate, err error) {
	add := func(yaml string, e oracle.Evaluator, failed error) {
		if failed != nil {
			err = failed
			return
		}
		list = append(list, candidate{yaml, e})
	}
	called, calledNow := shares(original, toolsOf), shares(changed, toolsOf)
	for _, tool := range slices.Sorted(maps.Keys(called)) {
		if called[tool] >= leastKept && calledNow[tool] < called[tool] {
			e, failed := oracle.MustCall([]string{tool}, 1, oracle.ToolOptions{})
			add("must-call: "+scalar(tool), e, failed)
		}
	}
	for _, tool := range slices.Sorted(maps.Keys(calledNow)) {
		if called[tool] == 0 {
			e, failed := oracle.MustNotCall([]string{tool}, oracle.ToolOptions{})
			add("must-not-call: "+scalar(tool), e, failed)
		}
	}
	var whole oracle.Path // all of the output
	said, saidNow := shares(original, phrasesOf), shares(changed, phrasesOf)
	for _, text := range longest(said, func(text string) bool {
		return said[text] >= leastKept && saidNow[text] < said[text]
	}) {
		e, failed := oracle.Contains(whole, text, oracle.TextOptions{})
		add("contains: "+scalar(text), e, failed)
	}
	most := 0
	for _, t := range original {
		if t.Output != nil {
			most = max(most, len([]rune(t.Output.Text())))
		}
	}
	if most > 0 && most < 500 {
		pattern := fmt.Sprintf(`(?s)^.{0,%d}$`, most+most/4)
		e, failed := oracle.Regex(whole, pattern)
		add("regex: "+scalar(pattern), e, failed)
	}
	for _, text := range longest(saidNow, func(text string) bool { return said[text] == 0 && saidNow[text] > 0.2 }) {
		e, failed := oracle.NotContains(whole, text, oracle.TextOptions{})
		add("not-contains: "+scalar(text), e, failed)
	}
	return list, err
}

// scalar is a text as YAML writes it on one line.
func scalar(text string) string {
	if bare().MatchString(text) {
		return text
	}
	return strconv.Quote(text)
}

// shares is in which share of the trials each of some features is.
func shares(trials []*trial.Trial, features func(*trial.Trial) map[string]bool) map[string]float64 {
	found := map[string]float64{}
	for _, t := range trials {
		for feature := range features(t) {
			found[feature] += 1 / float64(len(trials))
		}
	}
	for feature, share := range found { // sums of equal parts are not exact
		found[feature] = math.Round(share*1e9) / 1e9
	}
	return found
}

// toolsOf are the tools that a trial called.
func toolsOf(t *trial.Trial) map[string]bool {
	found := map[string]bool{}
	for _, s := range t.Steps {
		if s.Action == trial.CallTool && s.Tool != "" {
			found[s.Tool] = true
		}
	}
	return found
}

// bare is a text that stands in YAML without quotes.
var bare = lazy.Regexp(`^[A-Za-z_][\w-]*$`)

// words of an output.
var words = lazy.Regexp(`[\pL\pN_]+`)

// phrasesOf are the words of the beginning of an output, and each two and three of them that follow one another, as
// they stand there. One of a single letter alone, such as "I", says nothing of an answer.
func phrasesOf(t *trial.Trial) map[string]bool {
	found := map[string]bool{}
	if t.Output == nil {
		return found
	}
	text := t.Output.Text()
	text = strings.ToValidUTF8(text[:min(len(text), mostOutput)], "")
	at := words().FindAllStringIndex(text, -1)
	for i := range at {
		for n := range 3 {
			if i+n == len(at) {
				break
			}
			if phrase := text[at[i][0]:at[i+n][1]]; len(phrase) > 1 || phrase < "A" {
				found[phrase] = true
			}
		}
	}
	return found
}

// longest are the phrases of which that is true and that are in no longer one of which it is, sorted, at most twelve.
func longest(phrases map[string]float64, is func(string) bool) (list []string) {
	for text := range phrases {
		if is(text) {
			list = append(list, text)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	var kept []string
	for _, text := range list {
		if !slices.ContainsFunc(kept, func(longer string) bool { return strings.Contains(longer, text) }) {
			kept = append(kept, text)
		}
	}
	return kept[:min(len(kept), 12)]
}
