package suite

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// text reads a string.
func (d *decoder) text(n *yaml.Node) (string, bool) {
	if n.Kind == yaml.ScalarNode {
		switch n.ShortTag() {
		case "!!str", "!!timestamp":
			return n.Value, true
		case "!!int", "!!float", "!!bool":
			d.fail(n, "must be text, not "+describe(n), "write it in quotes: "+shown(n.Value))
			return "", false
		}
	}
	d.fail(n, "must be text, not "+describe(n), "")
	return "", false
}

// textInto reads a string that is not empty and holds no control characters.
func (d *decoder) textInto(target *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if text, ok := d.text(n); ok && d.printable(n, text) {
			*target = text
		}
	}
}

func (d *decoder) printable(n *yaml.Node, text string) bool {
	switch {
	case text == "":
		d.fail(n, "must not be empty", "")
	case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		d.fail(n, "holds a control character", "")
	default:
		return true
	}
	return false
}

// textsInto reads a list of strings, each of them once.
func (d *decoder) textsInto(target *[]string, check func(n *yaml.Node, text string) bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		seen := make(map[string]bool)
		d.items(n, func(_ int, item *yaml.Node) {
			text, ok := d.text(item)
			if !ok || !check(item, text) {
				return
			}
			if seen[text] {
				d.fail(item, shown(text)+" is given twice", "")
			}
			seen[text] = true
			*target = append(*target, text)
		})
	}
}

// wordOf reads one of several words.
func wordOf[T ~string](d *decoder, target *T, words ...T) func(*yaml.Node) {
	return func(n *yaml.Node) {
		text, ok := d.text(n)
		if !ok {
			return
		}
		var names []string
		for _, word := range words {
			if string(word) == text {
				*target = word
				return
			}
			names = append(names, string(word))
		}
		d.fail(n, "has no choice "+shown(text), didYouMean(text, names))
	}
}

// wholeInto reads a whole number within limits.
func (d *decoder) wholeInto(least, most int64, set func(int64)) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" {
			d.fail(n, "must be a whole number, not "+describe(n), "")
			return
		}
		x, err := strconv.ParseInt(n.Value, 0, 64)
		switch {
		case err != nil && !errors.Is(err, strconv.ErrRange):
			d.fail(n, "must be a whole number, not "+describe(n), "")
		case err == nil && x < least && least == 0:
			d.fail(n, prose.Excerpt(n.Value)+" must not be negative", "")
		case err == nil && x < least:
			d.fail(n, fmt.Sprintf("%s must be at least %d", prose.Excerpt(n.Value), least), "")
		case err != nil || x > most:
			d.fail(n, fmt.Sprintf("%s must be at most %d", prose.Excerpt(n.Value), most), "")
		default:
			set(x)
		}
	}
}

// number reads a finite number.
func (d *decoder) number(n *yaml.Node) (float64, bool) {
	tag := n.ShortTag()
	if n.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" {
		hint := ""
		if n.Kind == yaml.ScalarNode {
			if _, err := strconv.ParseFloat(n.Value, 64); err == nil {
				hint = "write it without quotes"
			}
		}
		d.fail(n, "must be a number, not "+describe(n), hint)
		return 0, false
	}
	if x, err := strconv.ParseInt(n.Value, 0, 64); err == nil && tag == "!!int" {
		return float64(x), true
	}
	x, err := strconv.ParseFloat(n.Value, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		d.fail(n, "must be a finite number, not "+describe(n), "")
		return 0, false
	}
	return x, true
}

// amountInto reads a number that is not negative.
func (d *decoder) amountInto(set func(float64)) func(*yaml.Node) {
	return func(n *yaml.Node) {
		x, ok := d.number(n)
		switch {
		case !ok:
		case x < 0:
			d.fail(n, prose.Excerpt(n.Value)+" must not be negative", "")
		default:
			set(x)
		}
	}
}

// duration reads a time such as 90s or 1h30m.
func (d *decoder) duration(n *yaml.Node) (time.Duration, bool) {
	const form = "write it with a unit, such as 500ms, 60s, 30m or 1h30m"
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
		d.fail(n, "must be a duration, not "+describe(n), form)
		return 0, false
	}
	x, err := time.ParseDuration(n.Value)
	switch {
	case err != nil:
		d.fail(n, "must be a duration, not "+describe(n), form)
	case x < 0:
		d.fail(n, prose.Excerpt(n.Value)+" must not be negative", "")
	default:
		return x, true
	}
	return 0, false
}

// durationInto reads a duration that is positive, or zero where that is allowed.
func (d *decoder) durationInto(target *time.Duration, zero bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if x, ok := d.duration(n); ok {
			if x == 0 && !zero {
				d.fail(n, prose.Excerpt(n.Value)+" must be positive", "")
				return
			}
			*target = x
		}
	}
}

func (d *decoder) boolInto(target *bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
			d.fail(n, "must be true or false, not "+describe(n), "")
			return
		}
		*target = strings.EqualFold(n.Value, "true")
	}
}

// pattern checks texts by an expression that is explained by a hint.
func (d *decoder) pattern(expression *regexp.Regexp, hint string) func(*yaml.Node, string) bool {
	return func(n *yaml.Node, text string) bool {
		if expression.MatchString(text) {
			return true
		}
		d.fail(n, "cannot be "+shown(text), hint)
		return false
	}
}
