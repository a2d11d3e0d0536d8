package inspecting

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

func TestCellsAreHarmless(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "plain": "plain", "a=b": "a=b", "=a": "'=a", "+1": "+1", "-1.5e-3": "-1.5e-3", "-": "'-", "-1-1": "'-1-1",
		"@x":  "'@x",
		" =a": "' =a", "-inf": "'-inf", "-0x1p3": "'-0x1p3", "＝a": "'＝a", "\t=a": `\t=a`, "tool.=a": "tool.=a",
		"-1_000": "'-1_000",
	} {
		if got := harmless(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// FuzzCells: no text begins a formula or holds a control character, and the table
// reads back as so many cells.
func FuzzCells(f *testing.F) {
	f.Add("=1+2", "\x1b[2J")
	f.Add(`"`, ",\r\n")
	f.Fuzz(func(t *testing.T, scenario, tool string) {
		side := &behaviourSide{name: "baseline"}
		for range 3 {
			side.add(&trial.Trial{Scenario: scenario, Outcome: trial.Pass, Variant: tool,
				Steps: []trial.Step{{Action: trial.CallTool, Tool: tool}}})
		}
		var out bytes.Buffer
		if err := (behaviourTable{side}).writeCSV(&out); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(bytes.NewReader(out.Bytes())).ReadAll()
		if err != nil || len(rows) != 4 || strings.Count(out.String(), "\n") != 4 {
			t.Fatalf("%q: %d rows, %v", out.String(), len(rows), err)
		}
		for _, row := range rows {
			for _, cell := range row {
				if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) && !isNumber(cell) {
					t.Errorf("%q begins a formula", cell)
				}
				if strings.ContainsFunc(cell, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
					t.Errorf("%q holds a control character", cell)
				}
			}
		}
	})
}
