package verdict

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/internal/ordinal"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// Answers says how many of the answers of a test had been given before, word for word. Trials have different seeds, so
// that a long answer hardly comes twice from an agent that draws it; one that a cache serves again is no new draw.
type Answers struct {
	Compared int `json:"compared"` // judged trials whose answer is longer than a label
	Repeated int `json:"repeated"` // among them, those of an earlier one of the scenario
}

// WarnAnswers says that answers came again, as of a cache.
const WarnAnswers Code = "identical-answers"

// What of answers is looked at. The numbers are chosen: an answer of a sentence is no label, and of five that are drawn
// independently two come twice only where the agent has few answers. Answers that are served twice each are nearly half
// repeated.
const (
	longestLabel    = 64 // characters
	fewestAnswers   = 5
	mostOfRepeated  = 0.4 // as a share
	pricedByADesign = "tribunal plan --design-effect says what that does to the error rates"
)

// Notable reports whether so many answers came again that the trials may be no independent ones.
func (a *Answers) Notable() bool {
	return a != nil && a.Compared >= fewestAnswers && float64(a.Repeated) >= mostOfRepeated*float64(a.Compared)
}

// Sentence says for a warning what is the matter with trials that had different seeds.
func (a *Answers) Sentence() string { return a.sentence(", under different seeds") }

func (a *Answers) sentence(seeds string) string {
	if a.Repeated == a.Compared-1 {
		return fmt.Sprintf("all %d long answers are the same, word for word%s: if a cache served them, they are one trial "+
			"and not %d, and the error rates do not hold", a.Compared, seeds, a.Compared)
	}
	return fmt.Sprintf("%d of %d long answers are those of an earlier trial, word for word%s: if a "+
		"cache served them, they are no new trials, and the error rates do not hold; "+pricedByADesign,
		a.Repeated, a.Compared, seeds)
}

// ScenarioAnswers are answers to a scenario of a recording.
type ScenarioAnswers struct {
	Scenario string `json:"scenario"` // name
	Answers
}

// RecordedAnswers compare the answers of a recording, scenario by scenario, as the trials of a run are compared. The
// zero value is ready for use.
type RecordedAnswers struct {
	scenarios ordinal.Keys[string]
	list      []ScenarioAnswers // of each
	seen      map[recordedAnswer]bool
}

type recordedAnswer struct {
	scenario int
	answer   uint64
}

// Add takes in a trial. One without an outcome is not compared.
func (r *RecordedAnswers) Add(t *trial.Trial) {
	if t.Outcome != trial.Pass && t.Outcome != trial.Fail {
		return
	}
	answer := AnswerOf(t)
	if answer == 0 {
		return
	}
	if r.seen == nil {
		r.seen = map[recordedAnswer]bool{}
	}
	at, isNew := r.scenarios.Place(t.Scenario)
	if isNew {
		r.list = append(r.list, ScenarioAnswers{Scenario: t.Scenario})
	}
	key := recordedAnswer{at, answer}
	r.list[at].Compared++
	if r.seen[key] {
		r.list[at].Repeated++
	}
	r.seen[key] = true
}

// Notable are the scenarios whose answers came again so often that their trials may be no independent ones.
func (r *RecordedAnswers) Notable() (list []ScenarioAnswers) {
	for i := range r.list {
		if r.list[i].Notable() {
			list = append(list, r.list[i])
		}
	}
	return list
}

// AnswersText says for one warning what is the matter with answers of a recording; "" where nothing is.
func AnswersText(list []ScenarioAnswers) string {
	if len(list) == 0 {
		return ""
	}
	text := prose.Excerpt(list[0].Scenario) + ": " + list[0].sentence("")
	if more := len(list) - 1; more > 0 {
		text += fmt.Sprintf("; and so in %s", prose.Count(more, "more scenario"))
	}
	return text
}

// checkAnswers compares saved answers of a recording with how many trials of each scenario, by its name, have an
// outcome.
func checkAnswers(path string, list []ScenarioAnswers, judged map[string]int) error {
	for i := range list {
		a := &list[i]
		at := fmt.Sprintf("%s[%d].", path, i)
		if err := a.Check(at, judged[a.Scenario]); err != nil {
			return err
		}
		if !a.Notable() {
			return &DifferenceError{Path: at + "repeated", Have: fmt.Sprint(a.Repeated), Want: "so many that they are told"}
		}
	}
	return nil
}

// CheckAnswersAmong compares saved answers of a recording with how many trials there are at most, of all scenarios
// together.
func CheckAnswersAmong(path string, list []ScenarioAnswers, most int) error {
	judged, sum := map[string]int{}, 0
	for _, a := range list {
		judged[a.Scenario] = most
		sum += a.Compared
	}
	if err := checkAnswers(path, list, judged); err != nil {
		return err
	}
	if sum > most {
		return &DifferenceError{Path: path, Have: fmt.Sprintf("%d answers", sum),
			Want: fmt.Sprintf("at most %d, one of a trial", most)}
	}
	return nil
}

// AnswerOf tells the answer of a trial from others, with the steps that led to it. It is 0 of one that is no longer
// than a label.
func AnswerOf(t *trial.Trial) uint64 {
	text := t.Output.Text()
	if utf8.RuneCountInString(text) <= longestLabel {
		return 0
	}
	h := sha256.New()
	part := func(text string) {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(text)))
		h.Write(n[:])
		h.Write([]byte(text))
	}
	part(text)
	for _, s := range t.Steps {
		// A journal that is read back may have other white space.
		var arguments bytes.Buffer
		if err := json.Compact(&arguments, s.Arguments); err != nil {
			arguments.Write(s.Arguments)
		}
		for _, text := range []string{string(s.Action), s.Tool, arguments.String(), s.Output.Text(), s.Error} {
			part(text)
		}
	}
	return max(1, binary.LittleEndian.Uint64(h.Sum(nil)))
}

// Check compares the counts with the most answers that there may be. The path is where they stand.
func (a *Answers) Check(path string, most int) error {
	switch {
	case a == nil:
	case a.Compared < 1 || a.Compared > most:
		return &DifferenceError{Path: path + "compared", Have: fmt.Sprint(a.Compared),
			Want: fmt.Sprintf("from 1 to %d", most)}
	case a.Repeated < 0 || a.Repeated >= a.Compared:
		return &DifferenceError{Path: path + "repeated", Have: fmt.Sprint(a.Repeated),
			Want: fmt.Sprintf("from 0 to %d", a.Compared-1)}
	}
	return nil
}
