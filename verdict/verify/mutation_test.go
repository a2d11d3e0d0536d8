package verify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// leaf is a value of a JSON document that is neither an object nor a list.
type leaf struct {
	path string // without indices
	at   string
	old  any
	set  func(any)
}

func leavesOf(path, at string, x any, set func(any), list *[]leaf) {
	switch x := x.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			leavesOf(rejudged.Join(path, key), rejudged.Join(at, key), x[key], func(v any) { x[key] = v }, list)
		}
	case []any:
		for i := range x {
			leavesOf(path+"[]", fmt.Sprintf("%s[%d]", at, i), x[i], func(v any) { x[i] = v }, list)
		}
	default:
		*list = append(*list, leaf{path, at, x, set})
	}
}

var wordFamilies = [][]string{
	{"pass", "fail", "inconclusive"}, {"deploy", "block", "review"}, {"holds", "broken", "open", "noted"},
	{"robust", "exclude", "fail"},
	{"margin", "paper", "bayes"}, {"suite", "scenario"}, {"holm", "bh", "none"},
}

// changes are other values that a leaf may have.
func changes(old any) (list []any) {
	switch x := old.(type) {
	case nil:
		return []any{0.5, true}
	case bool:
		return []any{!x}
	case json.Number:
		f, _ := x.Float64()
		if f == math.Trunc(f) && !strings.Contains(x.String(), ".") && math.Abs(f) < 1e15 {
			return []any{f + 1, f - 1}
		}
		return []any{f*1.001 + 1e-6, f / 2}
	case string:
		for _, family := range wordFamilies {
			if slices.Contains(family, x) {
				for _, word := range family {
					if word != x {
						list = append(list, word)
					}
				}
				return list
			}
		}
		var s trial.Series
		if s.UnmarshalText([]byte(x)) == nil && len(s) > 0 {
			return changedSeries(s)
		}
		if x != "" && strings.Trim(x, "PFE.?") == "" {
			return []any{swapped(x, 0), swapped(x, len(x)-1), x + "P", x[1:]}
		}
		return []any{x + "x"}
	}
	return nil
}

func swapped(marks string, at int) string {
	to := map[byte]string{'P': "F", 'F': "P", 'E': "P", '.': "P", '?': "P"}[marks[at]]
	return marks[:at] + to + marks[at+1:]
}

func changedSeries(s trial.Series) (list []any) {
	add := func(s trial.Series) {
		text, err := s.MarshalText()
		if err != nil {
			panic(err)
		}
		list = append(list, string(text))
	}
	for _, i := range slices.Compact([]int{0, len(s) / 2, len(s) - 1}) {
		other := slices.Clone(s)
		other[i] = trial.Some(s[i].Value*1.001 + 0.001)
		if s[i].Value == math.Trunc(s[i].Value) {
			other[i] = trial.Some(s[i].Value + 1)
		}
		add(other)
	}
	add(s[1:])
	return list
}

// unfounded changes every leaf of a saved result in turn, a few of those of a list, and returns the paths of those
// whose change is not found. A change of the code makes one of these forgeries of each path, now of this kind and
// place and now of that; all are made where that is asked for. Paths that are free are left as they are, and so is
// what begins with one that ends with a star.
func unfounded(t *testing.T, result any, free map[string]string) []string {
	t.Helper()
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := Verify(t.Context(), saved); err != nil {
		t.Fatalf("as it is: %v", err)
	} else {
		t.Logf("%d compared, skipped %v", v.Compared, v.Skipped)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var document any
	if err := d.Decode(&document); err != nil {
		t.Fatal(err)
	}
	var all []leaf
	leavesOf("", "", document, nil, &all)
	byPath := map[string][]leaf{}
	for _, l := range all {
		byPath[l.path] = append(byPath[l.path], l)
	}
	used := map[string]bool{}
	var missed []string
	mutants := 0
	for n, path := range slices.Sorted(maps.Keys(byPath)) {
		if reason := freed(path, free, used); reason != "" {
			continue
		}
		list := byPath[path]
		places := slices.Compact([]int{0, len(list) / 2, len(list) - 1})
		if !thorough.Asked() {
			places = places[n%len(places):][:1]
		}
		for _, i := range places {
			others := changes(list[i].old)
			if !thorough.Asked() && len(others) > 1 {
				others = others[n%len(others):][:1]
			}
			for _, to := range others {
				list[i].set(to)
				mutants++
				changed, err := json.Marshal(document)
				if err != nil {
					t.Fatal(err)
				}
				if saved, err := Decode(changed); err == nil {
					if _, err = Verify(t.Context(), saved); err == nil {
						missed = append(missed, fmt.Sprintf("%s: %s to %v", list[i].at, phrase.Excerpt(fmt.Sprint(list[i].old), 60),
							phrase.Excerpt(fmt.Sprint(to), 60)))
					}
				}
			}
			list[i].set(list[i].old)
		}
	}
	for path := range free {
		if !used[path] {
			missed = append(missed, strconv.Quote(path)+" is free, and there is no such leaf")
		}
	}
	t.Logf("%d leaves at %d paths, %d mutants", len(all), len(byPath), mutants)
	return missed
}

// refused changes copies of a saved result by each of the forgeries, by name, and wants them not to be taken: what
// takes more than one leaf, which [unfounded] changes by itself.
func refused[R verdict.Result](t *testing.T, result R, forgeries map[string]func(r R)) {
	t.Helper()
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	for name, forge := range forgeries {
		saved, err := Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		forge(saved.(R))
		if _, err := Verify(t.Context(), saved); err == nil {
			t.Errorf("%s: a forged result is taken", name)
		}
	}
}

func freed(path string, free map[string]string, used map[string]bool) string {
	for pattern, reason := range free {
		if pattern == path || strings.HasSuffix(pattern, "*") && strings.HasPrefix(path, strings.TrimSuffix(pattern, "*")) {
			used[pattern] = true
			return reason
		}
	}
	return ""
}

// Whatever a document leaves out, or holds in place of something else, is refused or
// verified: nothing panics. A change tries one of these of each member, in turn.
func TestVerifyOfBrokenDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("it verifies some thousand documents")
	}
	compared, err := compare.Judge(t.Context(), taskTrials("before", 1, false, 8, 7), taskTrials("after", 2, false, 8, 0),
		compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	compared.AddBehaviour(comparedAgents(t, fewest, 2, 6), true)
	for name, result := range map[string]any{"gate": wholeGate(t, fewest), "comparison": compared, "run": crowdedRun(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document := documentOf(t, result)
			seen := map[string]bool{}
			var visit func(path string, x any)
			try := func() {
				changed, err := json.Marshal(document)
				if err != nil {
					t.Fatal(err)
				}
				if saved, err := Decode(changed); err == nil {
					_, _ = Verify(t.Context(), saved)
				}
			}
			visit = func(path string, x any) {
				if list, ok := x.([]any); ok {
					for _, item := range list {
						visit(path, item)
					}
				}
				object, ok := x.(map[string]any)
				if !ok {
					return
				}
				for _, key := range slices.Sorted(maps.Keys(object)) {
					old, at := object[key], rejudged.Join(path, key)
					visit(at, old)
					if seen[at] {
						continue
					}
					seen[at] = true
					others := []any{nil, -1, []any{nil}}
					for i := range len(others) + 1 {
						switch {
						case !thorough.Asked() && i != len(seen)%(len(others)+1):
							continue
						case i < len(others):
							object[key] = others[i]
						default:
							delete(object, key)
						}
						try()
					}
					object[key] = old
				}
			}
			visit("", document)
		})
	}
}
