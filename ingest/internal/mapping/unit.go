package mapping

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// unit is what a field counts, and in which words: what one of them is in seconds or US dollars.
type unit struct {
	kind  string
	words map[string]float64
}

var (
	texts     = unit{kind: "text"} // nothing is counted
	numbers   = unit{kind: "number"}
	durations = unit{"duration", map[string]float64{"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600}}
	costs     = unit{"cost", map[string]float64{"usd": 1, "cents": 0.01}}
)

// scaled multiplies a number by a factor. By a negative power of ten, as for milliseconds, it moves the point of its
// text: the result is the nearest number then, and 1.1 cents are 0.011 US dollars.
func scaled(x float64, text string, factor float64) float64 {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(strings.TrimSpace(text)), "e")
	power, err := strconv.Atoi(cmp.Or(exponent, "0"))
	for shift := -12; shift < 0 && err == nil; shift++ {
		if factor != math.Pow10(shift) {
			continue
		}
		if y, err := strconv.ParseFloat(fmt.Sprintf("%se%d", mantissa, power+shift), 64); err == nil {
			return y
		}
	}
	return x * factor
}

// number reads a number in its unit; unknown where there is none, and an error where something else stands.
func (r *mappedFile) number(s *source, in *scope) (x trial.Optional[float64], err error) {
	n := r.value(s, in)
	if !n.Exists() {
		return x, nil
	}
	if x = n.Number(); !x.Known {
		return x, r.refuse(s, in, n, "is not a number",
			"default is for what is missing, and words for what stands for another")
	}
	x.Value = scaled(x.Value, n.Text(), s.factor)
	return x, nil
}

// amount reads a number that is not negative.
func (r *mappedFile) amount(s *source, in *scope) (trial.Optional[float64], error) {
	x, err := r.number(s, in)
	if err == nil && x.Value < 0 {
		return x, r.refuse(s, in, r.value(s, in), "must not be negative", "")
	}
	return x, err
}

// count reads a whole number that is not negative.
func (r *mappedFile) count(s *source, in *scope) (n trial.Optional[int64], err error) {
	x, err := r.amount(s, in)
	if err != nil || !x.Known {
		return n, err
	}
	n = record.Node{Value: strconv.FormatFloat(x.Value, 'f', -1, 64)}.Count()
	if !n.Known {
		return n, r.refuse(s, in, r.value(s, in), "must be a whole number", "")
	}
	return n, nil
}

// ordinal reads a count as the number of a trial.
func (r *mappedFile) ordinal(s *source, in *scope) (n trial.Optional[int], err error) {
	c, err := r.count(s, in)
	if err != nil || !c.Known {
		return n, err
	}
	if n = (record.Node{Value: strconv.FormatInt(c.Value, 10)}).Index(); !n.Known {
		return n, r.refuse(s, in, r.value(s, in), "is too large for a number of a trial", "")
	}
	return n, nil
}

// localTimes are how times without a zone are written: they are taken for UTC.
var localTimes = []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"}

// time reads a point in time: RFC 3339, also with a space in place of the T or without a zone, or a number since 1970.
func (r *mappedFile) time(s *source, in *scope) (at time.Time, err error) {
	n := r.value(s, in)
	if !n.Exists() {
		return at, nil
	}
	if at = n.Time(); !at.IsZero() {
		return at, nil
	}
	text := strings.Replace(strings.TrimSpace(n.Text()), " ", "T", 1)
	if at = (record.Node{Value: text}).Time(); !at.IsZero() {
		return at, nil
	}
	for _, layout := range localTimes {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return at, r.refuse(s, in, n, "is not a time",
		"RFC 3339 is read, such as 2026-02-26T09:25:37Z, and numbers since 1970")
}
