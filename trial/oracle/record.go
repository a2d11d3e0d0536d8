package oracle

import (
	"encoding/json"
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
)

// recordField is the field of a trial's record that holds its judgement.
const recordField = "judgement"

// JudgeOrigin marks the error of a trial whose judging failed; what the trial came to is not known then.
const JudgeOrigin trial.Origin = "judge"

// recordJSON is the JSON form of a judgement in the record of a trial, which has the
// outcome and the score beside it.
type recordJSON struct {
	Judge   string        `json:"judge,omitempty"`
	Text    string        `json:"text,omitempty"`
	Results []Result      `json:"results,omitempty"`
	Limits  []LimitResult `json:"limits,omitempty"`
	Ended   *End          `json:"ended,omitempty"`
	// What else is here was said by somebody before.
	NotJudged bool `json:"not_judged,omitempty"`
}

// Record writes the judgement into the record of the trial: its outcome, its score
// where there is one, the reason of an error, and the results in the field judgement.
func (j Judgement) Record(t *trial.Trial) error {
	form := recordJSON{Judge: j.Judge, Text: j.Text, Results: j.Results, Limits: j.Limits}
	if j.Ended.Known() {
		form.Ended = &j.Ended
	}
	if err := form.write(t); err != nil {
		return err
	}
	t.Outcome = j.Outcome
	if j.Score.Known {
		t.Score = j.Score
	}
	if j.Outcome == trial.Error && t.Error == nil {
		t.Error = &trial.Cause{Origin: JudgeOrigin, Type: "judge", Message: j.Text}
	}
	return nil
}

// write puts the form into the record of a trial.
func (form recordJSON) write(t *trial.Trial) error {
	text, err := json.Marshal(form)
	if err != nil {
		return err
	}
	t.Extra = slices.DeleteFunc(slices.Clone(t.Extra), func(m trial.Member) bool { return m.Name == recordField })
	t.Extra = append(t.Extra, trial.Member{Name: recordField, Value: text})
	return nil
}

// formOf reads the form in the record of a trial; ok is false where there is none that can be read.
func formOf(t *trial.Trial) (form recordJSON, ok bool) {
	for _, m := range t.Extra {
		if m.Name == recordField {
			return form, json.Unmarshal(m.Value, &form) == nil
		}
	}
	return form, false
}

// LeaveOut marks a trial that was among those that were judged, and was not: its outcome, and what its record has of a
// judgement, are of somebody before.
func LeaveOut(t *trial.Trial) error {
	form, _ := formOf(t)
	form.NotJudged = true
	return form.write(t)
}

// LeftOut reports whether a trial is marked by [LeaveOut].
func LeftOut(t *trial.Trial) bool {
	form, _ := formOf(t)
	return form.NotJudged
}

// Recorded returns the judgement that [Judgement.Record] wrote; ok is false where the
// record has none that can be read.
func Recorded(t *trial.Trial) (j Judgement, ok bool) {
	form, ok := formOf(t)
	if !ok {
		return Judgement{}, false
	}
	j = Judgement{
		Outcome: t.Outcome, Score: t.Score, Results: form.Results, Limits: form.Limits, Text: form.Text,
		Judge: form.Judge,
	}
	if form.Ended != nil {
		j.Ended = *form.Ended
	}
	return j, true
}
