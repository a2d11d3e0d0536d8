package labels

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// Recording is a recording that a judge judged. The zero value is empty.
type Recording struct {
	judged   []item
	errors   int
	leftOut  int       // trials that the judge was given and did not judge
	content  hash.Hash // what was tried and what came of it, whatever the judge says
	verdicts hash.Hash // what the judge says
	judges   map[string]bool
	answers  map[[sha256.Size]byte]*answer
}

// answer is what the judge said of one answer, each time that it was there.
type answer struct{ passed, failed int }

// item is a judged trial, as a person sees it.
type item struct {
	Scenario, Variant    string
	Trial                int
	passed               bool
	input, steps, output string
	length               int // characters of the output
}

// Add adds a trial that has a number. Its outcome is what the judge says, unless it ended in an error, or is marked as
// one that was not judged.
func (r *Recording) Add(t *trial.Trial) {
	if r.content == nil {
		r.content, r.verdicts, r.judges = sha256.New(), sha256.New(), map[string]bool{}
	}
	steps := stepsText(t.Steps)
	key := []any{t.Scenario, t.Variant, t.Index.Value}
	write(r.content, append(key, string(t.Input), string(t.Output), steps)...)
	write(r.verdicts, append(key, t.Outcome.String())...)
	if oracle.LeftOut(t) {
		r.leftOut++
		return
	}
	if t.Outcome != trial.Pass && t.Outcome != trial.Fail {
		r.errors++
		return
	}
	r.judges[judgeOf(t)] = true
	r.again(t, steps)
	output := t.Output.Text()
	r.judged = append(r.judged, item{
		Scenario: t.Scenario, Variant: t.Variant, Trial: t.Index.Value, passed: t.Outcome == trial.Pass,
		input: shown(t.Input.Text()), steps: steps, output: shown(output), length: utf8.RuneCountInString(output),
	})
}

// again notes what the judge says of an answer.
func (r *Recording) again(t *trial.Trial, steps string) {
	h := sha256.New()
	write(h, t.Scenario, string(t.Input), string(t.Output), steps)
	key := [sha256.Size]byte(h.Sum(nil))
	if r.answers == nil {
		r.answers = map[[sha256.Size]byte]*answer{}
	}
	a := r.answers[key]
	if a == nil {
		a = &answer{}
		r.answers[key] = a
	}
	if t.Outcome == trial.Pass {
		a.passed++
	} else {
		a.failed++
	}
}

// repeats counts the answers that were judged more than once.
func (r *Recording) repeats() (n Repeats) {
	for _, a := range r.answers {
		if a.passed+a.failed > 1 {
			n.Answers++
			if a.passed > 0 && a.failed > 0 {
				n.Flipped++
			}
		}
	}
	return n
}

// judgeOf is what judged a trial: as tribunal judge notes it, or else the judges that its evaluators asked; "" where
// the
// trial does not say.
func judgeOf(t *trial.Trial) string {
	judgement, _ := oracle.Recorded(t)
	if judgement.Judge != "" {
		return judgement.Judge
	}
	var asked []string
	var look func(results []oracle.Result)
	look = func(results []oracle.Result) {
		for _, r := range results {
			if r.Judge != "" {
				asked = append(asked, r.Judge)
			}
			look(r.Parts)
		}
	}
	look(judgement.Results)
	if len(asked) < 2 {
		return strings.Join(asked, "")
	}
	return oracle.JudgeDigest(asked)
}

// write adds values to a digest, so that no two lists of values are written alike.
func write(h hash.Hash, values ...any) {
	text, err := json.Marshal(values)
	if err == nil { // texts and numbers always have a form
		h.Write(append(text, '\n'))
	}
}

// sum is the digest so far.
func sum(h hash.Hash) string {
	if h == nil {
		h = sha256.New()
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Errors are the trials that ended in an error.
func (r *Recording) Errors() int { return r.errors }

// LeftOut are the trials that are marked as not judged.
func (r *Recording) LeftOut() int { return r.leftOut }

// Judged are the trials that the judge judged, and passed those that it passed.
func (r *Recording) Judged() (judged, passed int) {
	for _, x := range r.judged {
		if x.passed {
			passed++
		}
	}
	return len(r.judged), passed
}

// judgeDigests are those of the judges, in the order of the alphabet; a trial that does not say by which judge it was
// judged has "".
func (r *Recording) judgeDigests() []string { return slices.Sorted(maps.Keys(r.judges)) }

// mostShown is how many bytes of a text stand in a cell. It is chosen: spreadsheets cut cells at 32,767 characters.
const mostShown = 20_000

// shown is a text as a cell has it: in lines, without what acts on a terminal, and cut.
func shown(text string) string {
	cut := prose.CutBytes(strings.ToValidUTF8(text, "\uFFFD"), mostShown)
	lines := strings.Split(strings.ReplaceAll(cut, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = prose.Printable(line)
	}
	if len(cut) < len(text) {
		lines = append(lines, fmt.Sprintf("[%d more bytes are left out]", len(text)-len(cut)))
	}
	return strings.Join(lines, "\n")
}

// stepsText is what was done in a trial, in a line for each step.
func stepsText(steps []trial.Step) string {
	const most = 300 // bytes of each text, chosen
	var lines []string
	for _, s := range steps {
		line := string(s.Action)
		if s.Tool != "" {
			line = fmt.Sprintf("%s(%s)", s.Tool, prose.CutBytes(string(s.Arguments), most))
		}
		switch {
		case s.Error != "":
			line += " -> error: " + prose.CutBytes(s.Error, most)
		case len(s.Output) > 0:
			line += " -> " + prose.CutBytes(s.Output.Text(), most)
		}
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return shown(strings.Join(lines, "\n"))
}
