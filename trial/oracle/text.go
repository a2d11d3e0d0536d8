package oracle

import (
	"context"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/likeness"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// Equals passes if the value at the path equals want: objects without regard to
// order, numbers by value. Where the path is zero and want is a string, the text
// of the output is compared, byte for byte. It returns an [OptionError] if want is
// not one JSON value.
func Equals(at Path, want trial.Raw) (Evaluator, error) {
	wanted, err := decode(want)
	if err != nil {
		return nil, &OptionError{Option: "value", Value: string(want), Problem: err.Error()}
	}
	shown := prose.Excerpt(compact(wanted))
	return evaluator{"equals", unsure, func(_ context.Context, e Evidence) Result {
		found := locateFor(e.Trial, at, wanted)
		if found.stop != nil {
			return *found.stop
		}
		if Equal(found.value, wanted) {
			return decided(true, at.shown()+" equals "+shown)
		}
		return decided(false, at.shown()+" is "+prose.Excerpt(compact(found.value))+", not "+shown)
	}}, nil
}

// locateFor locates what is compared with a wanted value: for an object, an array
// or a number, text stands for the JSON that it holds.
//
// Programs print JSON as text: {"a":1} on stdout is a string in the trial.
func locateFor(t *trial.Trial, at Path, wanted any) locatedValue {
	found := locate(t, at)
	text, isText := found.value.(string)
	if _, wantText := wanted.(string); found.stop != nil || !isText || wantText || at.text != "" {
		return found
	}
	if value, err := decode([]byte(text)); err == nil {
		found.value = value
	}
	return found
}

// TextOptions say how texts are searched.
type TextOptions struct {
	IgnoreCase bool // compare by Unicode's simple lower case
}

// Contains passes if the text at the path contains the text. What is not a string
// is searched as JSON. It refuses an empty text, which everything contains.
func Contains(at Path, text string, o TextOptions) (Evaluator, error) {
	return searches("contains", at, text, o, true)
}

// NotContains passes if the text at the path does not contain the text, however it is
// written there: with characters that are not seen, in compatibility forms such as
// full width, or with escapes in a JSON text. A path that leads nowhere fails: there
// is no text of which to say so.
func NotContains(at Path, text string, o TextOptions) (Evaluator, error) {
	return searches("not-contains", at, text, o, false)
}

// searches makes an evaluator that looks for a text, and wants to find it or not.
//
// Both kinds share it, so that they differ in nothing but what passes.
func searches(name string, at Path, text string, o TextOptions, want bool) (Evaluator, error) {
	if text == "" {
		return nil, &OptionError{Option: "text", Problem: "is empty", Advice: "every text contains an empty one"}
	}
	fold := func(s string) string { return s }
	if o.IgnoreCase {
		fold = strings.ToLower
	}
	sought := fold(text)
	seen := fold(likeness.Visible(text)) // "" where nothing of it is
	sure := surePass
	if !want {
		sure = sureFail
	}
	return evaluator{name, sure, func(_ context.Context, e Evidence) Result {
		found := locate(e.Trial, at)
		if found.stop != nil {
			return *found.stop
		}
		if strings.Contains(fold(found.text), sought) {
			return decided(want, at.shown()+" contains "+quoted(text))
		}
		if forbidden := want == e.negated; forbidden && seen != "" {
			for form := range found.forms() {
				if strings.Contains(fold(form), seen) {
					return decided(want, at.shown()+" contains "+quoted(text)+", written in another way")
				}
			}
		}
		sentence := at.shown() + " does not contain " + quoted(text)
		if want {
			sentence += ": " + quoted(found.text)
		}
		return decided(!want, sentence)
	}}, nil
}

// Regex passes if the text at the path matches the expression somewhere. The
// syntax is RE2's, whose time is linear in the text, and in the size of the expression. It returns an [OptionError]
// for an expression that cannot be read. Within a [Not] the text is looked at in
// the other ways as well in which it can be written: see [NotContains].
func Regex(at Path, pattern string) (Evaluator, error) {
	expression, err := regexp.Compile(pattern)
	if err != nil {
		reason := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		return nil, &OptionError{
			Option: "pattern", Value: quoted(pattern), Problem: "is not a regular expression: " + reason,
		}
	}
	return evaluator{"regex", surePass, timed(func(_ context.Context, e Evidence) Result {
		found := locate(e.Trial, at)
		if found.stop != nil {
			return *found.stop
		}
		if match := expression.FindStringIndex(found.text); match != nil {
			// What ends where the text was cut off might not end there.
			if e.Truncated && match[1] == len(found.text) {
				return unjudged(errTruncated)
			}
			return decided(true, at.shown()+" matches with "+quoted(found.text[match[0]:match[1]]))
		}
		if e.negated {
			for form := range found.forms() {
				if match := expression.FindString(form); match != "" {
					return decided(true, at.shown()+" matches with "+quoted(match)+", written in another way")
				}
			}
		}
		return decided(false, at.shown()+" does not match "+quoted(pattern)+": "+quoted(found.text))
	})}, nil
}

// Exists passes if the path leads to a value, null included. It refuses the zero
// path.
func Exists(at Path) (Evaluator, error) {
	if at.text == "" {
		return nil, &OptionError{Option: "path", Problem: "is missing"}
	}
	return evaluator{"exists", unsure, func(_ context.Context, e Evidence) Result {
		found := locate(e.Trial, at)
		if found.stop != nil {
			return *found.stop
		}
		return decided(true, at.text+" is "+prose.Excerpt(compact(found.value)))
	}}, nil
}

// Range passes if the value at the path is a number from low to high, both
// included; an unknown limit is none. Text that holds a number counts as one. It
// returns an [OptionError] if no limit is given, if one is not finite, and if low
// is above high.
func Range(at Path, low, high trial.Optional[float64]) (Evaluator, error) {
	switch {
	case !low.Known && !high.Known:
		return nil, &OptionError{Option: "min", Problem: "or max must be given"}
	case low.Known && !finite(low.Value):
		return nil, &OptionError{Option: "min", Value: number(low.Value), Problem: "must be a finite number"}
	case high.Known && !finite(high.Value):
		return nil, &OptionError{Option: "max", Value: number(high.Value), Problem: "must be a finite number"}
	case low.Known && high.Known && low.Value > high.Value:
		return nil, &OptionError{Option: "min", Value: number(low.Value), Problem: "is above max " + number(high.Value)}
	}
	return evaluator{"range", unsure, func(_ context.Context, e Evidence) Result {
		found := locate(e.Trial, at)
		if found.stop != nil {
			return *found.stop
		}
		// A number, or a text that holds one; NaN and Inf parse too, and are refused.
		x, err := strconv.ParseFloat(strings.TrimSpace(found.text), 64)
		_, isNumber := found.value.(json.Number)
		_, isText := found.value.(string)
		if err != nil || !finite(x) || !isNumber && !isText {
			return decided(false, at.shown()+" is "+prose.Excerpt(compact(found.value))+", not a number")
		}
		switch {
		case low.Known && x < low.Value:
			return decided(false, at.shown()+" is "+number(x)+", below "+number(low.Value))
		case high.Known && x > high.Value:
			return decided(false, at.shown()+" is "+number(x)+", above "+number(high.Value))
		}
		return decided(true, at.shown()+" is "+number(x)+", within the range")
	}}, nil
}

// number writes a number as a person would: without an exponent where that is
// readable.
func number(x float64) string {
	if x == 0 || (x > -1e15 && x < 1e15 && (x > 1e-6 || x < -1e-6)) {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
