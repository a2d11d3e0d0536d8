package detection

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of delays into its page")

// The table of docs/monitor.md is what is measured.
func TestDelaysAreOnTheirPage(t *testing.T) {
	drops := []Drop{{.9, .85}, {.9, .8}, {.9, .7}, {.9, .5}, {.96, .81}, {.99, .9}}
	delays, err := Delays(t.Context(), drops, 4000, 1)
	if err != nil {
		t.Fatal(err)
	}
	// What the page says in words.
	for _, d := range delays {
		if d.Detector == "e-detector" && (d.Drop == Drop{.96, .81} && d.Median > 35 || d.Drop == Drop{.9, .8} &&
			d.Mean > 110) {
			t.Errorf("%+v", d)
		}
	}
	page := filepath.Join("..", "..", "..", "docs", "monitor.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	table := DelayTable(delays)
	if strings.Contains(string(text), table) {
		return
	}
	before, rest, found := strings.Cut(string(text), "| | 90 → 85 % |")
	if !*update || !found {
		t.Fatalf("%s does not have the table; run go test ./bench/internal/detection -run Delays -update:\n%s", page, table)
	}
	_, after, _ := strings.Cut(rest, "\n\n")
	if err := os.WriteFile(page, []byte(before+table+"\n"+after), 0o600); err != nil {
		t.Fatal(err)
	}
}
