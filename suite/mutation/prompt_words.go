package mutation

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/internal/jsonspan"
	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// word is a word of a unit.
type word struct {
	span
	text string // in small letters
}

var wordPattern = lazy.Regexp(`[\p{L}\p{N}]+(?:['’][\p{L}]+)*`)

// words are those of a unit that stand outside of what stays whole.
func (p *parsedPrompt) words(u unit) (words []word) {
	own := p.text[u.start:u.end]
	whole := masked(own, true)
	for _, m := range wordPattern().FindAllStringIndex(own, -1) {
		if _, in := within(whole, m[0]); !in {
			text := strings.ReplaceAll(strings.ToLower(own[m[0]:m[1]]), "’", "'")
			words = append(words, word{span{u.start + m[0], u.start + m[1]}, text})
		}
	}
	return words
}

// replaced is a configuration whose prompt has a text in the place of another.
func replaced(c Configuration, edits ...jsonspan.Edit) Configuration {
	c.Prompt = string(jsonspan.Edited([]byte(c.Prompt), slices.Clone(edits)))
	return c
}

// at is the site of a part of the prompt within a unit.
func (p *parsedPrompt) at(s span, text string) Site {
	return Site{Line: p.line(s.start), EndOfLine: p.line(max(s.start, s.end-1)), Text: text}
}

// cased gives a text the case of what it stands in for.
func cased(to, from string) string {
	if strings.ToUpper(from) == from && utf8.RuneCountInString(from) > 1 {
		return strings.ToUpper(to)
	}
	if first, _ := utf8.DecodeRuneInString(from); unicode.IsUpper(first) {
		return capitalised(to)
	}
	return to
}

// capitalised is a text that begins with a capital letter.
func capitalised(text string) string {
	first, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[n:]
}

// before are words behind which a verb of the list asks for something.
var before = []string{
	"always", "never", "please", "must", "should", "to", "then", "not", "first", "will", "shall", "may", "can", "don't",
	"cannot", "you", "just", "only", "also", "immediately", "finally", "next", "instead",
}

// openings begin a sentence whose first comma stands before what it asks.
var openings = []string{
	"if", "when", "whenever", "before", "after", "once", "first", "then", "next", "finally", "otherwise", "for", "in",
	"unless", "while", "until", "where", "with", "as", "second", "third", "lastly", "instead",
}

// synonymSites are the verbs that ask for something: at the beginning of an instruction, behind its first comma, or
// behind a word such as must and never.
func synonymSites(v *view) (sites []site) {
	for _, u := range v.prompt.units() {
		words := v.prompt.words(u)
		comma := false // one was seen
		for i, w := range words {
			asks := i == 0 && strings.TrimLeft(v.Prompt[u.start:w.start], `*_"'( `) == ""
			if i > 0 {
				between := v.Prompt[words[i-1].end:w.start]
				first := strings.HasPrefix(between, ",") && !comma
				comma = comma || strings.Contains(between, ",")
				asks = strings.TrimSpace(between) == "" && slices.Contains(before, words[i-1].text) ||
					first && slices.Contains(openings, words[0].text)
			}
			choices := synonyms()[w.text]
			if !asks || choices == nil {
				continue
			}
			old := v.Prompt[w.start:w.end]
			sites = append(sites, site{
				Site: v.prompt.at(w.span, "the word "+short(old)), identity: v.prompt.identity(u, w.span),
				change: func(c Configuration, r *rand.Rand) Configuration {
					to := choices[r.IntN(len(choices))]
					return replaced(c, jsonspan.Put(w.start, w.end, []byte(cased(to, old))))
				},
			})
		}
	}
	return sites
}

// identity is that of a part of a unit: the unit's text, and where in it the part stands.
func (p *parsedPrompt) identity(u unit, part span) string {
	return p.text[u.start:u.end] + "\n" + strconv.Itoa(part.start-u.start)
}

// phraseSites are the places where one of the phrases stands.
func phraseSites(v *view, phrases []phrase, edit func(s span, old string, p phrase) jsonspan.Edit) (sites []site) {
	for _, u := range v.prompt.units() {
		words := v.prompt.words(u)
		for i := 0; i < len(words); i++ {
			j, found := phraseAt(v.Prompt, words, i, phrases)
			if j == 0 {
				continue
			}
			s := span{words[i].start, words[j-1].end}
			old := v.Prompt[s.start:s.end]
			// May is a month too, and will a name, where they have a capital letter within a sentence.
			if i > 0 && j == i+1 && unicode.IsUpper(rune(old[0])) && strings.ToUpper(old) != old {
				continue
			}
			e := edit(s, old, found)
			text := short(old) + " becomes " + short(string(e.Text))
			if found.to[0] == "" {
				text = short(old) + " is left out"
			}
			sites = append(sites, site{
				Site: v.prompt.at(s, text), identity: v.prompt.identity(u, s),
				change: func(c Configuration, _ *rand.Rand) Configuration { return replaced(c, e) },
			})
			i = j - 1
		}
	}
	return sites
}

// phraseAt finds the longest phrase that begins with a word, and the word behind it; 0 is none.
func phraseAt(text string, words []word, i int, phrases []phrase) (behind int, found phrase) {
	for _, p := range phrases {
		parts := strings.Fields(p.from)
		if i+len(parts) > len(words) {
			continue
		}
		same := true
		for k, part := range parts {
			same = same && words[i+k].text == part &&
				(k == 0 || strings.TrimSpace(text[words[i+k-1].end:words[i+k].start]) == "")
		}
		if same {
			return i + len(parts), p
		}
	}
	return 0, phrase{}
}

// weakenSites are the words that bind.
func weakenSites(v *view) []site {
	return phraseSites(v, weaker(), func(s span, old string, p phrase) jsonspan.Edit {
		return jsonspan.Put(s.start, s.end, []byte(cased(p.to[0], old)))
	})
}

// flipSites are negations, and words that can be negated.
func flipSites(v *view) []site {
	return phraseSites(v, opposites(), func(s span, old string, p phrase) jsonspan.Edit {
		if p.to[0] != "" {
			return jsonspan.Put(s.start, s.end, []byte(cased(p.to[0], old)))
		}
		// What is left out goes with the blanks behind it, and hands on its capital letter.
		end := s.end
		for end < len(v.Prompt) && (v.Prompt[end] == ' ' || v.Prompt[end] == '\t') {
			end++
		}
		next, size := utf8.DecodeRuneInString(v.Prompt[end:])
		if first, _ := utf8.DecodeRuneInString(old); unicode.IsUpper(first) && unicode.IsLower(next) {
			return jsonspan.Put(s.start, end+size, []byte(string(unicode.ToUpper(next))))
		}
		return jsonspan.Put(s.start, end, nil)
	})
}
