package yamlnode

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Text reads a string, which may be empty.
func (d *Decoder) Text(n *yaml.Node) (text string, ok bool) {
	if d.Takes("type", "string") {
		return "", true
	}
	// A version such as 1.10 or the word true was probably meant as text.
	advice := ""
	if n.Kind == yaml.ScalarNode {
		switch n.ShortTag() {
		// A date is text here: no field is a time of day.
		case "!!str", "!!timestamp":
			return n.Value, true
		case "!!int", "!!float", "!!bool":
			advice = "write it in quotes: " + Shown(n.Value)
		}
	}
	d.Fail(n, "must be text, not "+Describe(n), advice)
	return "", false
}

// IsLine notes a problem unless a text is not empty and holds no control characters.
func (d *Decoder) IsLine(n *yaml.Node, text string) bool {
	switch {
	case d.Describes():
		d.Also("minLength", 1)
		return true
	case text == "":
		d.Fail(n, "must not be empty", "")
	case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		d.Fail(n, "holds a control character", "")
	default:
		return true
	}
	return false
}

// Matches notes a problem with a text that the expression does not match.
func (d *Decoder) Matches(n *yaml.Node, text string, expression *regexp.Regexp, advice string) bool {
	d.Also("pattern", expression.String())
	if expression.MatchString(text) || d.Describes() {
		return true
	}
	d.Fail(n, "cannot be "+Shown(text), advice)
	return false
}

// Line reads a string that is a line: see [Decoder.IsLine].
func (d *Decoder) Line(target *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if text, ok := d.Text(n); ok && d.IsLine(n, text) {
			*target = text
		}
	}
}

// Name reads a line of at most so many bytes.
func (d *Decoder) Name(target *string, most int) func(*yaml.Node) {
	return func(n *yaml.Node) {
		text, ok := d.Text(n)
		ok = ok && d.IsLine(n, text)
		d.Also("maxLength", most)
		switch {
		case !ok:
		case len(text) > most:
			d.Fail(n, fmt.Sprintf("is longer than %d bytes", most), "")
		default:
			*target = text
		}
	}
}

// Texts reads a list of strings that pass the check, each of them once.
func (d *Decoder) Texts(target *[]string, check func(n *yaml.Node, text string) bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		seen := make(map[string]bool)
		// An item that stands twice is noted and kept: the problem refuses the file
		// anyway.
		d.Items(n, func(item *yaml.Node) {
			text, ok := d.Text(item)
			if !ok || !check(item, text) || d.Describes() {
				return
			}
			// Twice is most likely a slip of the pen.
			if seen[text] {
				d.Fail(item, Shown(text)+" is given twice", "")
			}
			seen[text] = true
			*target = append(*target, text)
		})
		d.Also("uniqueItems", true)
	}
}

// Word reads one of several words.
func Word[T ~string](d *Decoder, target *T, words ...T) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if d.Takes("enum", words) {
			return
		}
		text, ok := d.Text(n)
		if !ok {
			return
		}
		if slices.Contains(words, T(text)) {
			*target = T(text)
			return
		}
		names := make([]string, len(words))
		for i, word := range words {
			names[i] = string(word)
		}
		// With the nearest of the words as a hint.
		d.Fail(n, "has no choice "+Shown(text), prose.DidYouMean(text, names))
	}
}

// Whole reads a whole number from least to most.
func (d *Decoder) Whole(least, most int64, set func(int64)) func(*yaml.Node) {
	schema := Schema{"type", "integer", "minimum", least, "maximum", most}
	if least == most {
		schema = Schema{"const", least}
	}
	return func(n *yaml.Node) {
		if d.Takes(schema...) {
			return
		}
		// Base 0 takes what YAML takes: decimal, 0x, 0o and underscores. A number
		// that is out of range is still a whole number, and its own message says so.
		x, err := strconv.ParseInt(n.Value, 0, 64)
		large := errors.Is(err, strconv.ErrRange)
		only := ""
		if least == most {
			only = fmt.Sprintf("write %d, the only one that is known", least)
		}
		switch {
		// The messages name the value and the limit that it misses; 0 as the least is
		// said in words.
		case n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" || err != nil && !large:
			d.Fail(n, "must be a whole number, not "+Describe(n), "")
		case !large && x < least && least == 0:
			d.Fail(n, prose.Excerpt(n.Value)+" must not be negative", "")
		case !large && x < least:
			d.Fail(n, fmt.Sprintf("%s must be at least %d", prose.Excerpt(n.Value), least), only)
		case large || x > most:
			d.Fail(n, fmt.Sprintf("%s must be at most %d", prose.Excerpt(n.Value), most), only)
		default:
			set(x)
		}
	}
}

// Number reads a finite number.
func (d *Decoder) Number(n *yaml.Node) (x float64, ok bool) {
	if d.Takes("type", "number") {
		return 0, true
	}
	tag := n.ShortTag()
	if n.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" {
		advice := ""
		if n.Kind == yaml.ScalarNode {
			// A number in quotes is text.
			if _, err := strconv.ParseFloat(n.Value, 64); err == nil {
				advice = "write it without quotes"
			}
			if x, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(n.Value, "%")), 64); err == nil &&
				strings.HasSuffix(n.Value, "%") {
				advice = fmt.Sprintf("%v %% is %v", x, x/100)
			}
		}
		d.Fail(n, "must be a number, not "+Describe(n), advice)
		return 0, false
	}
	if x, err := strconv.ParseInt(n.Value, 0, 64); err == nil && tag == "!!int" {
		return float64(x), true
	}
	x, err := strconv.ParseFloat(n.Value, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		d.Fail(n, "must be a finite number, not "+Describe(n), "")
		return 0, false
	}
	return x, true
}

// Real reads a finite number within limits, such as [Above]. One that is not is refused as one that "must lie above 0"
// or the like.
func (d *Decoder) Real(set func(float64), must, advice string, limits ...Limit) func(*yaml.Node) {
	return func(n *yaml.Node) {
		x, ok := d.Number(n)
		for _, l := range limits {
			d.Also(l.keyword, l.at)
		}
		switch {
		case !ok:
		case slices.ContainsFunc(limits, func(l Limit) bool { return l.excludes(x) }):
			d.Fail(n, prose.Excerpt(n.Value)+" "+must, advice)
		default:
			set(x)
		}
	}
}

// Limit is a limit of [Decoder.Real].
type Limit struct {
	keyword string // of a schema
	at      float64
}

// AtLeast is the least number.
func AtLeast(x float64) Limit { return Limit{"minimum", x} }

// Above is a number that is too small.
func Above(x float64) Limit { return Limit{"exclusiveMinimum", x} }

// AtMost is the largest number.
func AtMost(x float64) Limit { return Limit{"maximum", x} }

// Below is a number that is too large.
func Below(x float64) Limit { return Limit{"exclusiveMaximum", x} }

// excludes reports whether a number lies beyond the limit.
func (l Limit) excludes(x float64) bool {
	switch l.keyword {
	case "minimum":
		return x < l.at
	case "exclusiveMinimum":
		return x <= l.at
	case "maximum":
		return x > l.at
	}
	return x >= l.at
}

// Amount reads a number that is not negative.
func (d *Decoder) Amount(set func(float64)) func(*yaml.Node) {
	return d.Real(set, "must not be negative", "", AtLeast(0))
}

// Share reads a number above 0 and at most 1.
func (d *Decoder) Share(set func(float64), advice string) func(*yaml.Node) {
	const must = "must lie above 0 and be at most 1"
	return d.Real(set, must, advice, Above(0), AtMost(1))
}

// durationPattern is what time.ParseDuration reads, without negative times.
const durationPattern = `^[+]?` + durationPart + `(` + durationPart + `)*$`

const durationPart = `([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)`

// Inside reads a number between 0 and 1, and neither of them.
func (d *Decoder) Inside(set func(float64), advice string) func(*yaml.Node) {
	return d.Real(set, "must lie strictly between 0 and 1", advice, Above(0), Below(1))
}

// Duration reads a time such as 90s or 1h30m that is positive, or zero where that is
// allowed.
func (d *Decoder) Duration(target *time.Duration, zero bool) func(*yaml.Node) {
	const form = "write it with a unit, such as 500ms, 60s, 30m or 1h30m"
	pattern := durationPattern
	if zero {
		pattern += `|^[+]?0$`
	}
	return func(n *yaml.Node) {
		if d.Takes("type", "string", "pattern", pattern) {
			return
		}
		x, err := time.ParseDuration(n.Value)
		switch {
		// A plain number has no unit, and its tag is not that of text.
		case n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || err != nil:
			d.Fail(n, "must be a duration, not "+Describe(n), form)
		case x < 0:
			d.Fail(n, prose.Excerpt(n.Value)+" must not be negative", "")
		case x == 0 && !zero:
			d.Fail(n, prose.Excerpt(n.Value)+" must be positive", "")
		default:
			*target = x
		}
	}
}

// Bool reads true or false.
func (d *Decoder) Bool(target *bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if d.Takes("type", "boolean") {
			return
		}
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
			d.Fail(n, "must be true or false, not "+Describe(n), "")
			return
		}
		// The tag says that it is true or false, in whichever case.
		*target = strings.EqualFold(n.Value, "true")
	}
}
