package relation

import (
	"context"
	"math/rand/v2"
	"strings"
	"unicode"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/trial"
)

// NoiseKind is a kind of noise.
type NoiseKind string

// The kinds of noise. None changes a digit or a sign, which carry meaning by themselves.
const (
	Typos      NoiseKind = "typos"      // letters within a word swapped, doubled or left out
	Case       NoiseKind = "case"       // capital letters for small ones, and the reverse
	whitespace NoiseKind = "whitespace" // spaces doubled, and some around the text
)

// NoiseKinds are all kinds of noise.
func NoiseKinds() []NoiseKind { return []NoiseKind{Typos, Case, whitespace} }

// defaultNoiseRate is the share of the places in a text that noise changes: one letter of thirty-three, about one
// mistake in every six words of English. It is chosen: a reader still reads over it.
const defaultNoiseRate = 0.03

// AddNoise adds noise to a text in an input: of each kind one change at least, and at most a share of the places where
// it could be, ‖x'-x‖ ≤ ε in the words of the paper. A rate of 0 is [defaultNoiseRate].
func AddNoise(at Place, rate float64, kinds ...NoiseKind) Transform {
	if rate == 0 {
		rate = defaultNoiseRate
	}
	return noise{at, rate, kinds}
}

type noise struct {
	at    Place
	rate  float64
	kinds []NoiseKind
}

func (n noise) Apply(_ context.Context, input trial.Raw, seed uint64) (trial.Raw, error) {
	text, err := n.at.text(input)
	if err != nil {
		return nil, err
	}
	changed := text
	for i, kind := range n.kinds {
		changed = kind.add(changed, n.rate, seeded.Stream(seed, uint64(i)))
	}
	if changed == text {
		return nil, &inputError{Place: n.at, Problem: "has no word for noise to change"}
	}
	return n.at.Replace(input, trial.RawString(changed))
}

// add returns the text with noise of the kind.
func (k NoiseKind) add(text string, rate float64, random *rand.Rand) string {
	letters := []rune(text)
	switch k {
	case Typos:
		for _, i := range drawn(insideWords(letters), rate, random) {
			letters = typo(letters, i, random)
		}
	case Case:
		for _, i := range drawn(places(letters, hasCase), rate, random) {
			letters[i] = otherCase(letters[i])
		}
	case whitespace:
		spaces := places(letters, func(r rune) bool { return r == ' ' })
		for _, i := range drawn(spaces, rate, random) {
			letters = append(letters[:i], append([]rune{' '}, letters[i:]...)...)
		}
		return []string{" ", "  ", "\n"}[random.IntN(3)] + string(letters) + []string{" ", "\n", " \n"}[random.IntN(3)]
	}
	return string(letters)
}

// places are those of the letters for which something is so.
func places(letters []rune, is func(rune) bool) (list []int) {
	for i, r := range letters {
		if is(r) {
			list = append(list, i)
		}
	}
	return list
}

// insideWords are the places of letters that have one before and one behind them, of words of four letters and more:
// what is left of shorter ones may be another word.
func insideWords(letters []rune) (list []int) {
	begin := -1
	for i := 0; i <= len(letters); i++ {
		if i < len(letters) && unicode.IsLetter(letters[i]) {
			if begin < 0 {
				begin = i
			}
			continue
		}
		for j := begin + 1; begin >= 0 && i-begin >= 4 && j < i-1; j++ {
			list = append(list, j)
		}
		begin = -1
	}
	return list
}

// drawn are a share of the places, one at least where there is any, from the last to the first: what is changed moves
// none of the others.
func drawn(list []int, rate float64, random *rand.Rand) (chosen []int) {
	if len(list) == 0 {
		return nil
	}
	least := random.IntN(len(list))
	most := max(1, int(rate*float64(len(list))))
	for i := len(list) - 1; i >= 0; i-- {
		if i == least || len(chosen) < most-1 && random.Float64() < rate {
			chosen = append(chosen, list[i])
		}
	}
	return chosen
}

// typo swaps a letter with the next, doubles it or leaves it out.
func typo(letters []rune, i int, random *rand.Rand) []rune {
	way := random.IntN(3)
	switch {
	case way == 0 && letters[i] != letters[i+1]:
		letters[i], letters[i+1] = letters[i+1], letters[i]
		return letters
	case way == 1:
		return append(letters[:i], append([]rune{letters[i]}, letters[i:]...)...)
	}
	return append(letters[:i], letters[i+1:]...)
}

// hasCase reports whether a letter has a form in the other case that leads back to it.
func hasCase(r rune) bool { return otherCase(r) != r && otherCase(otherCase(r)) == r }

// otherCase is the letter in the other case.
func otherCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}

// words are those of a text, between spaces.
func words(text string) int { return len(strings.Fields(text)) }
