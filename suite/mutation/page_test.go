package mutation_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/suite/mutation"
)

var update = flag.Bool("update", false, "write the table into the page")

// TestPageHasEveryOperator holds the table of the manual to what there is.
func TestPageHasEveryOperator(t *testing.T) {
	const path = "../../docs/run-mutants.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("| operator | severity | what happens | in the paper |\n|---|---|---|---|\n")
	for _, o := range mutation.Operators() {
		symbol, _, _ := strings.Cut(o.Paper, ":")
		if symbol != "" {
			symbol = "`" + symbol + "`"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", o.Name, o.Severity, o.Summary, symbol)
	}
	page := string(text)
	if *update {
		page = strings.Replace(page, "TABLE\n", table.String(), 1)
		if err := os.WriteFile(path, []byte(page), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(page, table.String()) {
		t.Errorf("%s lacks\n%s", path, table.String())
	}
}
