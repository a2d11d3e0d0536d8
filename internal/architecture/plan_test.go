package architecture_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestThePlanIsOfThisHouse finds a package that stands on two floors or that does not
// exist, and a rule about a library that nobody imports: it would be kept by all for
// nothing, or stand in for one that is missing.
func TestThePlanIsOfThisHouse(t *testing.T) {
	packages := list(t)
	for _, sentence := range append(misplaced(floors, packages), idle(packages)...) {
		t.Error(sentence)
	}
}

// misplaced returns a sentence for each name of the plan that is not that of one
// package on one floor.
func misplaced(plan [][]string, packages []goPackage) (sentences []string) {
	exists := map[string]bool{}
	for _, p := range packages {
		exists[strings.TrimPrefix(p.ImportPath, module+"/")] = strings.HasPrefix(p.ImportPath, module+"/")
	}
	times := map[string]int{}
	for _, names := range plan {
		for _, name := range names {
			times[name]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(times)) {
		if times[name] > 1 {
			sentences = append(sentences, fmt.Sprintf("%s is listed %d times on the floors", name, times[name]))
		}
		if !exists[name] {
			sentences = append(sentences, fmt.Sprintf("%s stands on a floor, and there is no such package", name))
		}
	}
	return sentences
}

// idle returns a sentence for each rule about a package that stands on no floor, or
// about a library that no package imports.
func idle(packages []goPackage) (sentences []string) {
	imported := func(library string) bool {
		return slices.ContainsFunc(packages, func(p goPackage) bool {
			return strings.HasPrefix(p.ImportPath, module+"/") &&
				slices.ContainsFunc(p.Imports, func(name string) bool { return under(name, library) })
		})
	}
	check := func(libraries, names []string) {
		for _, library := range libraries {
			ours := strings.HasPrefix(library, module+"/") // which its tests may import alone
			if !ours && !imported(library) {
				sentences = append(sentences, fmt.Sprintf("%s is reserved, and nobody imports it", library))
			}
		}
		for _, name := range names {
			if floorOf(name) < 0 {
				sentences = append(sentences, fmt.Sprintf("a rule names %s, which stands on no floor", name))
			}
		}
	}
	for _, r := range reserved {
		check(r.libraries, r.only)
	}
	for _, name := range slices.Sorted(maps.Keys(closed)) {
		check([]string{closed[name]}, []string{name})
	}
	return sentences
}

func TestMisplacedNamesAreFound(t *testing.T) {
	plan := [][]string{{"stats", "trial"}, {"attic", "verdict"}, {"trial"}}
	packages := []goPackage{
		{ImportPath: "attic"}, // of another module
		{ImportPath: module + "/stats"},
		{ImportPath: module + "/trial"},
		{ImportPath: module + "/verdict"},
	}
	want := []string{
		"attic stands on a floor, and there is no such package",
		"trial is listed 2 times on the floors",
	}
	if diff := cmp.Diff(want, misplaced(plan, packages)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestIdleRulesAreFound(t *testing.T) {
	got := idle([]goPackage{{ImportPath: module + "/report", Imports: []string{"github.com/spf13/cobra/doc"}}})
	for _, want := range []string{
		"github.com/olekukonko/tablewriter is reserved, and nobody imports it",
		"gonum.org/v1/gonum is reserved, and nobody imports it",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not among %q", want, got)
		}
	}
	if slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "cobra") }) {
		t.Errorf("cobra is imported: %q", got)
	}
}
