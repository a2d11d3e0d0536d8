package suggest

import (
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/arbitrary"
	"github.com/tribunal-dev/tribunal/internal/seeded"
)

func newRandom(seed uint64) *rand.Rand { return seeded.Stream(seed, 0) }

// An input is moved where it says the value: by a member of the parameter's name, by the recorded argument where it
// stands by itself, and else by a sentence. What was recorded is not changed.
func TestMoved(t *testing.T) {
	for _, c := range []struct{ input, parameter, recorded, value, want string }{
		{`{"amount":40,"to":7}`, "amount", "40", "500", `{"amount":500,"to":7}`},
		{`{"order":{"Amount":40}}`, "amount", "40", "500", `{"order":{"Amount":500}}`},
		{`{"lines":[1],"quantity":1}`, "lines[].quantity", "1", "9", `{"lines":[1],"quantity":9}`},
		{`{"zip":"1"}`, "address.zip", `"1"`, `"12345"`, `{"zip":"12345"}`},
		{`{"cents":[3,40]}`, "amount", "40", "500", `{"cents":[3,500]}`},
		{`"Refund 40, of 400 or 4.40 or a40"`, "amount", "40", "500", `"Refund 500, of 400 or 4.40 or a40"`},
		{`"400 a40 40b"`, "amount", "40", "500", `"400 a40 40b. Use pay with amount 500."`},
		{`{"text":"to Jane Roe please"}`, "name", `"Jane Roe"`, `"x"`, `{"text":"to x please"}`},
		{`{"text":"why?"}`, "express", "true", "false", `{"text":"why? Use pay with express false."}`},
		{`{"text":"","n":[]}`, "amount", "", "1", `{"n":[],"text":"Use pay with amount 1."}`},
		{`[1,2]`, "amount", "", "1", `"Use pay with amount 1."`},
		{``, "amount", "", "1", `"Use pay with amount 1."`},
		{`{"text":"Größe ü"}`, "size", `"ü"`, `"é"`, `{"text":"Größe ü. Use pay with size \"é\"."}`}, // one letter is no word
	} {
		input := decoded([]byte(c.input))
		got, how := moved(input, "pay", c.parameter, decoded([]byte(c.recorded)), decoded([]byte(c.value)))
		if string(arbitrary.Encoded(got)) != c.want || how == "" {
			t.Errorf("%s: %s, want %s", c.input, arbitrary.Encoded(got), c.want)
		}
		if c.input != "" && string(arbitrary.Encoded(input)) != string(arbitrary.Encoded(decoded([]byte(c.input)))) {
			t.Errorf("%s was changed to %s", c.input, arbitrary.Encoded(input))
		}
	}
}

// What is asked is the member with a usual name, or else the longest text.
func TestTextOf(t *testing.T) {
	for input, want := range map[string]string{
		`"a"`:                                "a",
		`{"prompt":"a","z":"longer"}`:        "a",
		`{"a":"short","b":{"c":"a longer"}}`: "a longer",
	} {
		if _, got, ok := textOf(decoded([]byte(input))); !ok || got != want {
			t.Errorf("%s: %q", input, got)
		}
	}
	for _, input := range []string{`1`, `[]`, `{"n":1}`, ``} {
		if _, got, ok := textOf(decoded([]byte(input))); ok {
			t.Errorf("%s: %q", input, got)
		}
	}
}

// A parameter's path finds its value, also where names have dots.
func TestAt(t *testing.T) {
	arguments := decoded([]byte(`{"amount":1,"address":{"zip":2},"lines":[{"n":0},{"quantity":3}],"a.b":{"c":4},"list":[5,6]}`))
	for path, want := range map[string]string{
		"amount": "1", "address.zip": "2", "lines[].quantity": "3", "a.b.c": "4", "list[]": "5", "address": `{"zip":2}`,
	} {
		if got, ok := at(arguments, path); !ok || string(arbitrary.Encoded(got)) != want {
			t.Errorf("%s: %s", path, arbitrary.Encoded(got))
		}
	}
	for _, path := range []string{"zip", "address.street", "amount.x", "amount[]", "lines[].x"} {
		if got, ok := at(arguments, path); ok {
			t.Errorf("%s: %s", path, arbitrary.Encoded(got))
		}
	}
}
