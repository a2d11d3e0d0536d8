package mutation

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/jsonspan"
	"github.com/tribunal-dev/tribunal/internal/lazy"
)

var (
	// tokenPattern is what stands between blanks and brackets.
	tokenPattern = lazy.Regexp(`[^\s()\[\]{}"“”*,;]+(?:,\d{3})*`)
	// quantityPattern is a number, or a range of two, with a currency before and a unit behind it. Versions, dates, times
	// and parts of names are none.
	quantityPattern = lazy.Regexp(`^[$€£~<>=≤≥]*(\d{1,3}(?:,\d{3})+|\d{1,9})(\.\d{1,6})?(?:[-–](\d{1,4}))?` +
		`(?i:%|s|ms|h|min|k|kb|mb|gb|px|x|°c|-(?:word|line|day|hour|minute|second|sentence|step|character|item)s?)?` +
		`[.!?:]*$`)
	// spelt are numbers in words that are hardly anything else.
	spelt = []string{"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
)

// numberSites are the numbers of the prompt.
func numberSites(v *view) (sites []site) {
	add := func(u unit, s span, change func(old string, r *rand.Rand) string) {
		old := v.Prompt[s.start:s.end]
		sites = append(sites, site{
			Site: v.prompt.at(s, "the number "+short(old)), identity: v.prompt.identity(u, s),
			change: func(c Configuration, r *rand.Rand) Configuration {
				return replaced(c, jsonspan.Put(s.start, s.end, []byte(change(old, r))))
			},
		})
	}
	for _, u := range v.prompt.units() {
		own := v.Prompt[u.start:u.end]
		whole := masked(own, true)
		for _, token := range tokenPattern().FindAllStringIndex(own, -1) {
			if _, in := within(whole, token[0]); in {
				continue
			}
			m := quantityPattern().FindStringSubmatchIndex(own[token[0]:token[1]])
			if m == nil {
				if word := strings.ToLower(strings.TrimRight(own[token[0]:token[1]], ".!?:")); slices.Contains(spelt, word) {
					start := u.start + token[0]
					add(u, span{start, start + len(word)}, otherWord)
				}
				continue
			}
			begin, end := m[2], m[3]
			if m[4] >= 0 {
				end = m[5]
			}
			at := u.start + token[0]
			add(u, span{at + begin, at + end}, otherNumber)
			if m[6] >= 0 {
				add(u, span{at + m[6], at + m[7]}, otherNumber)
			}
		}
	}
	return sites
}

// otherWord is another number in words.
func otherWord(old string, r *rand.Rand) string {
	i := slices.Index(spelt, strings.ToLower(old))
	return cased(spelt[(i+1+r.IntN(len(spelt)-1))%len(spelt)], old)
}

// otherNumber is the double, half, tenfold or next of a number, as it was written.
func otherNumber(old string, r *rand.Rand) string {
	plain := strings.ReplaceAll(old, ",", "")
	x, err := strconv.ParseFloat(plain, 64)
	if err != nil {
		return old
	}
	_, fraction, _ := strings.Cut(plain, ".")
	var choices []string
	for _, y := range []float64{2 * x, x / 2, 10 * x, x + 1} {
		if fraction == "" {
			y = math.Floor(y)
		}
		text := strconv.FormatFloat(y, 'f', len(fraction), 64)
		if strings.Contains(old, ",") {
			text = grouped(text)
		}
		if text != old && !slices.Contains(choices, text) && (y > 0 || x == 0) {
			choices = append(choices, text)
		}
	}
	if len(choices) == 0 {
		return old
	}
	return choices[r.IntN(len(choices))]
}

// grouped puts commas between thousands.
func grouped(number string) string {
	whole, fraction, dot := strings.Cut(number, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if dot {
		return whole + "." + fraction
	}
	return whole
}
