package baseline

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/sprt"
)

// The saved form of limits is a string of numbers of variable length: digits of base 64, five bits of a
// number in each and one that says that another digit follows, the lowest bits first and the lowest of all
// the sign. Small numbers take one letter.
//
// A list of limits, by trials, rises in steps: it is saved as runs of equal limits. Neighbouring outcomes of
// the baseline have limits that differ by little, so of a run only what its length differs by from the same
// limit's of the list before is saved.

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// encoder writes numbers.
type encoder struct{ text strings.Builder }

func (e *encoder) number(x int) {
	u := uint64(x) << 1
	if x < 0 {
		u = uint64(-x)<<1 | 1
	}
	for u >= 32 {
		e.text.WriteByte(digits[32|u&31])
		u >>= 5
	}
	e.text.WriteByte(digits[u])
}

// decoder reads numbers of an untrusted text. The first mistake is kept.
type decoder struct {
	text string
	at   int
	err  error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("at letter %d: "+format, append([]any{d.at + 1}, args...)...)
	}
}

// number reads one; 0 after a mistake. Numbers of more than 40 bits are none.
func (d *decoder) number() int {
	var u uint64
	for shift := 0; d.err == nil; shift += 5 {
		if d.at >= len(d.text) {
			d.fail("the text ends within a number")
			break
		}
		digit := strings.IndexByte(digits, d.text[d.at])
		if digit < 0 || shift > 40 {
			d.fail("%q is no digit of a number", d.text[d.at])
			break
		}
		d.at++
		u |= uint64(digit&31) << shift
		if digit < 32 {
			x := int(u >> 1)
			if u&1 == 1 {
				return -x
			}
			return x
		}
	}
	return 0
}

// size reads a number from least to most.
func (d *decoder) size(what string, least, most int) int {
	x := d.number()
	if d.err == nil && (x < least || x > most) {
		d.fail("%d %s: must be from %d to %d", x, what, least, most)
	}
	if d.err != nil {
		return least
	}
	return x
}

// end checks that nothing is left.
func (d *decoder) end() error {
	if d.err == nil && d.at < len(d.text) {
		d.fail("%d letters too many", len(d.text)-d.at)
	}
	return d.err
}

// run is a limit that stays for some trials.
type run struct{ limit, length int }

// runsOf cuts a list into runs.
func runsOf(list []int) (runs []run) {
	for i, x := range list {
		if i == 0 || x != list[i-1] {
			runs = append(runs, run{x, 0})
		}
		runs[len(runs)-1].length++
	}
	return runs
}

// lengthOf is what a run is expected to be as long as: the run of the same limit before, looked for among
// the few from where the last one was found.
func lengthOf(before []run, limit int, from *int) int {
	const few = 8
	for i := *from; i < min(*from+few, len(before)); i++ {
		if before[i].limit == limit {
			*from = i
			return before[i].length
		}
	}
	return 0
}

// runs writes a list beside the one before, of the same kind. The first limit is expected
// to be first, and each other one higher by 1 than the last.
func (e *encoder) runs(runs, before []run, first int) {
	expected, from := first, 0
	for _, r := range runs {
		// The lowest bit says whether the limit is another than expected.
		length := 2 * (r.length - lengthOf(before, r.limit, &from))
		if r.limit == expected {
			e.number(length)
		} else {
			e.number(length | 1)
			e.number(r.limit - expected)
		}
		expected = r.limit + 1
	}
}

// runs reads a list of so many trials, with limits from -1 to Never.
func (d *decoder) runs(trials int, before []run, first int) (runs []run) {
	expected, from := first, 0
	for left := trials; left > 0 && d.err == nil; {
		x := d.number()
		limit := expected
		if x&1 == 1 {
			limit += d.number()
		}
		if limit < -1 || limit > sprt.Never {
			d.fail("a limit of %d failures", limit)
			break
		}
		// An arithmetic shift: the lowest bit is not part of the difference.
		length := x>>1 + lengthOf(before, limit, &from)
		if d.err == nil && (length < 1 || length > left) {
			d.fail("a limit for %d trials, where %d are left", length, left)
			break
		}
		runs = append(runs, run{limit, length})
		left -= length
		expected = limit + 1
	}
	return runs
}

// listOf is the inverse of runsOf.
func listOf(runs []run, trials int) []int {
	list := make([]int, 0, trials)
	for _, r := range runs {
		for range r.length {
			list = append(list, r.limit)
		}
	}
	return list
}

// Limits that a list is expected to begin with: no Pass, and a Fail only with more failures than trials.
const (
	firstPass = -1
	firstFail = 2
)

// lists are the boundaries that were written or read last.
type lists struct{ pass, fail []run }

func (e *encoder) boundaries(b sprt.Boundaries, before *lists) {
	next := lists{runsOf(b.PassAtOrBelow), runsOf(b.FailAtOrAbove)}
	e.runs(next.pass, before.pass, firstPass)
	e.runs(next.fail, before.fail, firstFail)
	*before = next
}

func (d *decoder) boundaries(trials int, before *lists) (b sprt.Boundaries) {
	next := lists{pass: d.runs(trials, before.pass, firstPass)}
	next.fail = d.runs(trials, before.fail, firstFail)
	*before = next
	if d.err != nil {
		return b
	}
	b = sprt.Boundaries{PassAtOrBelow: listOf(next.pass, trials), FailAtOrAbove: listOf(next.fail, trials)}
	if err := b.Validate(); err != nil {
		d.fail("%w", err)
	}
	return b
}
