package enum_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/enum"
)

type colour uint8

const (
	red colour = iota
	green
)

var colours = enum.Of[colour]("colour", "red", "green")

func (c colour) String() string                { return colours.String(c) }
func (c colour) MarshalText() ([]byte, error)  { return colours.MarshalText(c) }
func (c *colour) UnmarshalText(b []byte) error { return colours.UnmarshalText(b, c) }

func TestNames(t *testing.T) {
	for value, name := range map[colour]string{red: "red", green: "green"} {
		if value.String() != name {
			t.Errorf("%d prints as %s, want %s", value, value, name)
		}
		if got, err := colours.Parse(name); got != value || err != nil {
			t.Errorf("Parse(%q) = %v, %v", name, got, err)
		}
	}
	if got := colour(7).String(); got != "colour(7)" {
		t.Errorf("a value that is none prints as %q", got)
	}
	if diff := cmp.Diff([]colour{red, green}, slices.Collect(colours.All())); diff != "" {
		t.Error(diff)
	}
}

func TestJSON(t *testing.T) {
	text, err := json.Marshal(map[string]colour{"a": green})
	if err != nil || string(text) != `{"a":"green"}` {
		t.Errorf("%s, %v", text, err)
	}
	var back map[string]colour
	if err := json.Unmarshal(text, &back); err != nil || back["a"] != green {
		t.Errorf("%v, %v", back, err)
	}
	if text, err := json.Marshal(colour(2)); !errors.As(err, new(*enum.Error)) {
		t.Errorf("a value that is none is written as %s, %v", text, err)
	}
}

func TestUnknownNames(t *testing.T) {
	for name, want := range map[string][2]string{
		"gren":      {`colour "gren" must be one of red, green`, "did you mean green?"},
		"Red":       {`colour "Red" must be one of red, green`, "did you mean red?"},
		"":          {`colour "" must be one of red, green`, ""},
		"\x1b[2J":   {`colour "\x1b[2J" must be one of red, green`, ""},
		"colour(7)": {`colour "colour(7)" must be one of red, green`, ""},
	} {
		c := green
		err := c.UnmarshalText([]byte(name))
		e, ok := errors.AsType[*enum.Error](err)
		if !ok {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, [2]string{e.Error(), e.Hint()}); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
		if c != green || e.Option() != "colour" {
			t.Errorf("%q: set to %v, option %q", name, c, e.Option())
		}
	}
}

func TestSignedValues(t *testing.T) {
	type level int64
	levels := enum.Of[level]("level", "low", "high")
	for _, value := range []level{-1, 2, 1 << 40} {
		if levels.Has(value) {
			t.Errorf("has %d", value)
		}
		if text, err := levels.MarshalText(value); err == nil {
			t.Errorf("%d is written as %s", value, text)
		}
	}
	if got := levels.String(-1); got != "level(-1)" {
		t.Errorf("-1 prints as %q", got)
	}
}
