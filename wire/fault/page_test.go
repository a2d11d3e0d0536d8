package fault_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/wire/fault"
)

var update = flag.Bool("update", false, "write the tables into the page")

// TestPageHasEveryFault holds the tables of the manual to what there is.
func TestPageHasEveryFault(t *testing.T) {
	const path = "../../docs/faults.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for marker, table := range tables() {
		if *update {
			page = strings.Replace(page, marker, strings.TrimSuffix(table, "\n"), 1)
		}
		if !strings.Contains(page, table) {
			t.Errorf("%s lacks\n%s", path, table)
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(page), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// tables are those of the page, by what stands in their places before they are written.
func tables() map[string]string {
	all := map[string]string{}
	for _, a := range fault.Kinds() {
		marker := "TABLE " + string(a.Of)
		if all[marker] == "" {
			all[marker] = "| kind | options | what happens |\n|---|---|---|\n"
		}
		options := strings.Join(a.Options, "`, `")
		if options != "" {
			options = "`" + options + "`"
		}
		all[marker] += fmt.Sprintf("| `%s` | %s | %s |\n", a.Kind, options, a.Says)
	}
	for _, c := range fault.ClientNames() {
		all["CLIENT"] += fmt.Sprintf("| `%s` | %s |\n", c[0], strings.TrimPrefix(c[1], "it "))
	}
	names := map[string][]string{} // of payloads, by their goals
	for _, p := range fault.Payloads() {
		names[p.Goal] = append(names[p.Goal], "`"+p.Name+"`")
	}
	for _, goal := range slices.Sorted(maps.Keys(names)) {
		all["PAYLOADS"] += fmt.Sprintf("| %s | %s |\n", goal, strings.Join(names[goal], ", "))
	}
	return all
}
