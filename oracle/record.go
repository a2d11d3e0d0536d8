package oracle

import (
	"encoding/json"
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
)

// recordField is the field of a trial's record that holds its judgement.
const recordField = "judgement"

// recordJSON is the JSON form of a judgement in the record of a trial, which has the
// outcome and the score beside it.
type recordJSON struct {
	Text    string        `json:"text,omitempty"`
	Results []Result      `json:"results,omitempty"`
	Limits  []LimitResult `json:"limits,omitempty"`
}

// Record writes the judgement into the record of the trial: its outcome, its score
// where there is one, the reason of an error, and the results in the field judgement.
func (j Judgement) Record(t *trial.Trial) error {
	text, err := json.Marshal(recordJSON{j.Text, j.Results, j.Limits})
	if err != nil {
		return err
	}
	t.Outcome = j.Outcome
	if j.Score.Known {
		t.Score = j.Score
	}
	if j.Outcome == trial.Error && t.Error == nil {
		t.Error = &trial.Cause{Origin: "judge", Type: "judge", Message: j.Text}
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
		return Judgement{
			Outcome: t.Outcome, Score: t.Score, Results: form.Results, Limits: form.Limits, Text: form.Text,
		}, true
	}
	return Judgement{}, false
}
