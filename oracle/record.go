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
}

// Record writes the judgement into the record of the trial: its outcome, its score
// where there is one, the reason of an error, and the results in the field judgement.
func (j Judgement) Record(t *trial.Trial) error {
	form := recordJSON{j.Judge, j.Text, j.Results, j.Limits, nil}
	if j.Ended.Known() {
		form.Ended = &j.Ended
	}
	text, err := json.Marshal(form)
	if err != nil {
		return err
	}
	t.Outcome = j.Outcome
	if j.Score.Known {
		t.Score = j.Score
	}
	if j.Outcome == trial.Error && t.Error == nil {
		t.Error = &trial.Cause{Origin: JudgeOrigin, Type: "judge", Message: j.Text}
	}
	t.Extra = slices.DeleteFunc(slices.Clone(t.Extra), func(m trial.Member) bool { return m.Name == recordField })
	t.Extra = append(t.Extra, trial.Member{Name: recordField, Value: text})
	return nil
}

// Recorded returns the judgement that [Judgement.Record] wrote; ok is false where the
// record has none that can be read.
func Recorded(t *trial.Trial) (j Judgement, ok bool) {
	for _, m := range t.Extra {
		if m.Name != recordField {
			continue
		}
		var form recordJSON
		if json.Unmarshal(m.Value, &form) != nil {
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
	return Judgement{}, false
}
