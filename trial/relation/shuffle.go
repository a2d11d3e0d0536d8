package relation

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/trial"
)

// Shuffle puts the items of a list into another order, each of those that differ from the list's own with the same
// probability.
func Shuffle(at Place) Transform { return reorder{at, false} }

// Reverse puts the items of a list into the reverse order. A list that reads the same backwards is no input for it.
func Reverse(at Place) Transform { return reorder{at, true} }

// reorder changes the order of a list.
type reorder struct {
	at      Place
	reverse bool
}

// Apply returns an [inputError] for a list whose items are all equal, for then there is no other order.
func (r reorder) Apply(_ context.Context, input trial.Raw, seed uint64) (trial.Raw, error) {
	list, err := r.at.Value(input)
	if err != nil {
		return nil, err
	}
	items := itemsOf(list)
	before := valuesOf(list, items)
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	if slices.IndexFunc(before, func(v string) bool { return v != before[0] }) < 0 {
		return nil, &inputError{Place: r.at, Problem: "is not a list of different items, so it has no other order"}
	}
	same := func() bool {
		return !slices.ContainsFunc(order, func(i int) bool { return before[order[i]] != before[i] })
	}
	if r.reverse {
		slices.Reverse(order)
		if same() {
			return nil, &inputError{Place: r.at, Problem: "reads the same backwards", Advice: "order: shuffled changes it"}
		}
	} else {
		random := seeded.Stream(seed, 0)
		for same() {
			random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
	}
	return r.at.Replace(input, arranged(list, items, order))
}

// item is where an item of a list stands in its text.
type item struct{ begin, end int }

// itemsOf finds the items of a list; nil where the value is none.
func itemsOf(list trial.Raw) (items []item) {
	d := jsontext.NewDecoder(bytes.NewReader(list), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if opened, err := d.ReadToken(); err != nil || opened.Kind() != '[' {
		return nil
	}
	for d.PeekKind() != ']' {
		value, err := d.ReadValue()
		if err != nil {
			return nil
		}
		end := int(d.InputOffset())
		items = append(items, item{end - len(value), end})
	}
	return items
}

// valuesOf are the items in a form in which equal ones are equal texts, as far as they are written in the same order.
func valuesOf(list trial.Raw, items []item) []string {
	values := make([]string, len(items))
	for i, at := range items {
		var b bytes.Buffer
		if json.Compact(&b, list[at.begin:at.end]) != nil {
			b.Write(list[at.begin:at.end])
		}
		values[i] = b.String()
	}
	return values
}

// arranged is the list with its items in an order, and what stands between them where it stood.
func arranged(list trial.Raw, items []item, order []int) (text trial.Raw) {
	end := 0
	for place, i := range order {
		text = append(text, list[end:items[place].begin]...)
		text = append(text, list[items[i].begin:items[i].end]...)
		end = items[place].end
	}
	return append(text, list[end:]...)
}
