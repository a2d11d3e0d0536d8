package labels

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// recorded is a recording of n trials, of which every fifth failed; change may change a trial.
func recorded(n int, change func(i int, t *trial.Trial)) *Recording {
	var r Recording
	for i := range n {
		t := &trial.Trial{
			Scenario: "s", Index: trial.Some(i), Outcome: trial.Pass, Output: trial.RawString(fmt.Sprintf("answer %d",
				i)),
		}
		if i%5 == 0 {
			t.Outcome = trial.Fail
		}
		if change != nil {
			change(i, t)
		}
		r.Add(t)
	}
	return &r
}

// drawn draws a sheet and returns it as it is written.
func drawn(t *testing.T, r *Recording, n int) (*Sheet, string) {
	t.Helper()
	s, err := Draw(r, n, 1)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := s.WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	return s, text.String()
}

// filled writes a label into every row, by its id.
func filled(t *testing.T, sheet string, label func(id string) string) string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(sheet)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(rows[0], "label")
	for _, row := range rows[1:] {
		row[at] = label(row[0])
	}
	var text bytes.Buffer
	if err := csv.NewWriter(&text).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// A sheet holds so many of either verdict, in an order that does not tell which, and nothing of what the judge said.
func TestSheetIsBlindAndStratified(t *testing.T) {
	secret := func(i int, x *trial.Trial) {
		x.Score = trial.Some(0.123456)
		j := oracle.Judgement{Outcome: x.Outcome, Text: "the judge's reason", Judge: "sha256:aa"}
		if err := j.Record(x); err != nil {
			t.Fatal(err)
		}
	}
	s, text := drawn(t, recorded(100, secret), 40)
	if k := s.Key; k.Judged != 100 || k.Passed != 80 || len(k.Rows) != 40 || !slices.Equal(k.Judges,
		[]string{"sha256:aa"}) {
		t.Errorf("%+v", k)
	}
	failed, seen, changes := 0, map[int]bool{}, 0
	for i, r := range s.Key.Rows {
		if !r.Passed {
			failed++
		}
		if r.Passed != (r.Trial%5 != 0) || seen[r.Trial] {
			t.Errorf("row %+v", r)
		}
		if seen[r.Trial] = true; i > 0 && r.Passed != s.Key.Rows[i-1].Passed {
			changes++
		}
	}
	if failed != 8 || changes < 4 {
		t.Errorf("%d of the judge's failures, and %d changes from row to row", failed, changes)
	}
	for _, word := range []string{"0.123456", "reason", "judge", "outcome", "sha256"} {
		if strings.Contains(text, word) {
			t.Errorf("the sheet says %q", word)
		}
	}
	if again, _ := drawn(t, recorded(100, secret), 40); again.Key.Digest != s.Key.Digest {
		t.Error("the same seed draws something else")
	}
}

// No cell begins what a spreadsheet computes, and none holds what acts on a terminal.
func TestCellsAreInert(t *testing.T) {
	for _, output := range []string{"=cmd|' /C calc'!A0", "+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝1",
		"\x1b[2J=1", "\n=1"} {
		_, text := drawn(t, recorded(10, func(_ int, x *trial.Trial) {
			x.Output, x.Scenario = trial.RawString(output), output
		}), 10)
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] {
			for _, cell := range row {
				if begins := strings.TrimLeft(cell, " \t\r\n"); strings.ContainsAny(begins[:min(len(begins), 1)],
					"=+-@") ||
					strings.ContainsAny(cell, "\x1b\t\r") {
					t.Errorf("%q makes the cell %q", output, cell)
				}
			}
		}
	}
}

// What was written is read back, also as other spreadsheets write it.
func TestLabelsAreReadBack(t *testing.T) {
	s, text := drawn(t, recorded(100, nil), 40)
	truth := map[string]bool{}
	for i, r := range s.Key.Rows {
		truth[r.ID] = i%3 != 0
	}
	labels := filled(t, text, func(id string) string {
		if truth[id] {
			return " PASS"
		}
		return "fail"
	})
	for name, sheet := range map[string]string{
		"as it is": labels, "with semicolons": strings.ReplaceAll(labels, ",", ";"),
		"with a mark and returns": "\uFEFF" +
			strings.ReplaceAll(labels, "\n", "\r\n"), "with empty rows": labels + ",,,,,,,,\n\n",
	} {
		l, err := s.Key.Read("sheet.csv", strings.NewReader(sheet))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, r := range s.Key.Rows {
			if l.Labels[i] != truth[r.ID] {
				t.Errorf("%s: row %d", name, i)
			}
		}
		sample := l.Sample()
		if sample.Judged != 100 || sample.Passed != 80 || sample.OfPassed.Trials != 32 || sample.OfFailed.Trials != 8 ||
			sample.OfPassed.Passes+sample.OfFailed.Passes != 26 || sample.Validate() != nil {
			t.Errorf("%s: %+v", name, sample)
		}
	}
}

// Whatever is not a label for every row is refused, with its place.
func TestLabelsThatAreRefused(t *testing.T) {
	s, text := drawn(t, recorded(50, nil), 10)
	good := filled(t, text, func(string) string { return "pass" })
	lines := strings.SplitAfter(good, "\n")
	for want, sheet := range map[string]string{
		`sheet.csv:2: 10 of 10 rows have no label`: text,
		`sheet.csv:2: 1 of 10 rows has no label`:   strings.Replace(good, ",pass,", ",,", 1),
		`sheet.csv:2: the label is "maybe"`:        strings.Replace(good, ",pass,", ",maybe,", 1),
		`sheet.csv: 1 of 10 rows is missing`: strings.Join(slices.Delete(slices.Clone(lines), 3,
			4), ""),
		`stands on line 2 already`:                    good + lines[1],
		`the row "stranger" is not one of this sheet`: good + "stranger,s,1,,,,,pass,\n",
		`has no columns id and label`:                 strings.Replace(good, "label", "verdict", 1),
		`sheet.csv: is empty`:                         "",
		`sheet.csv:2: the row "'` + s.Key.Rows[0].ID + `" is not one`: strings.Replace(good, s.Key.Rows[0].ID,
			"'"+s.Key.Rows[0].ID, 1),
	} {
		_, err := s.Key.Read("sheet.csv", strings.NewReader(sheet))
		if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(e.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

// A recording is the one of the sheet or it is not, and what differs is named.
func TestRecordingOfTheSheet(t *testing.T) {
	judge := func(name string) func(int, *trial.Trial) {
		return func(_ int, x *trial.Trial) {
			if err := (oracle.Judgement{Outcome: x.Outcome, Judge: name}).Record(x); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, _ := drawn(t, recorded(50, judge("sha256:aa")), 10)
	if err := s.Key.Check("sheet.csv", recorded(50, judge("sha256:aa"))); err != nil {
		t.Error(err)
	}
	for want, r := range map[string]*Recording{
		"another recording": recorded(51, judge("sha256:aa")),
		"is the sheet of another recording": recorded(50, func(i int, x *trial.Trial) {
			judge("sha256:aa")(i, x)
			x.Output = trial.RawString("other")
		}),
		"the judge changed since the sheet was drawn: it was sha256:aa, and is sha256:bb": recorded(50,
			judge("sha256:bb")),
		"and is one without a digest": recorded(50, nil),
		"it passed 40 of 50 then, and 39 of 50 now": recorded(50, func(i int, x *trial.Trial) {
			judge("sha256:aa")(i, x)
			if i == 1 {
				x.Outcome = trial.Fail
			}
		}),
	} {
		if err := s.Key.Check("sheet.csv", r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

// A key that was changed is no key.
func TestKeysThatAreRefused(t *testing.T) {
	s, _ := drawn(t, recorded(50, nil), 10)
	text, err := json.Marshal(s.Key)
	if err != nil {
		t.Fatal(err)
	}
	if k, err := ParseKey("k", bytes.NewReader(text)); err != nil || k.Digest != s.Key.Digest {
		t.Errorf("%+v, %v", k, err)
	}
	twice := s.Key
	twice.Rows = append(slices.Clone(twice.Rows), twice.Rows[0])
	twice.Digest = twice.digest()
	again, _ := json.Marshal(twice)
	for name, key := range map[string]string{
		"changed": strings.Replace(string(text), `"passed":40`, `"passed":41`, 1), "no JSON": "id,label",
		"another":     `{"schema":"x"}`,
		"a row twice": string(again),
	} {
		if k, err := ParseKey("k", strings.NewReader(key)); err == nil {
			t.Errorf("%s: %+v", name, k)
		}
	}
}

// What no sheet can be drawn from is refused.
func TestDrawRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		r *Recording
		n int
	}{"nothing": {&Recording{}, 5}, "no labels": {recorded(10, nil), 0}, "one for both verdicts": {recorded(10, nil),
		1}} {
		if s, err := Draw(c.r, c.n, 1); err == nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if s, _ := drawn(t, recorded(10, nil), 40); len(s.Key.Rows) != 10 {
		t.Errorf("%d rows of 10 trials", len(s.Key.Rows))
	}
}

// Trials that the judge was given and did not judge are counted, and none is drawn, though they have an outcome.
func TestWhatWasNotJudgedIsNotDrawn(t *testing.T) {
	leaveOut := func(i int, x *trial.Trial) {
		if i >= 20 {
			if err := oracle.LeaveOut(x); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, _ := drawn(t, recorded(50, leaveOut), 20)
	if k := s.Key; k.Judged != 20 || k.Passed != 16 || k.LeftOut != 30 || k.Errors != 0 || len(k.Rows) != 20 {
		t.Errorf("%+v", k)
	}
	for _, r := range s.Key.Rows {
		if r.Trial >= 20 {
			t.Errorf("row %+v was not judged", r)
		}
	}
	if err := s.Key.Check("sheet.csv", recorded(50, leaveOut)); err != nil {
		t.Error(err)
	}
}
