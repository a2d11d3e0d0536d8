package trial

import (
	"math"
	"strconv"
)

// plain decodes a text that is written as programs write it: known fields alone, each at
// most once, with strings of ASCII without escapes and numbers without exponents, a
// scenario and an outcome, at most a space after a colon or a comma, and an input and an output that may be any value.
// Of anything else it reports false, and leaves it, with all errors, to [decoder.whole], of which it is the quick form:
// what it accepts it decodes to the same trial.
//
// It is there for its speed alone: a million lines without steps are read three times as
// fast with it as by [decoder.whole] (BenchmarkReadMillionLines), and reading is most of
// what a verdict on a file takes.
func (d *decoder) plain(t *Trial, text []byte) bool {
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	// Set at the end alone, so that a text which turns out not to be plain leaves no trace.
	found := Trial{}
	rest, seen := text[1:], uint(0)
	for {
		name, after, ok := plainString(rest)
		if !ok || len(after) < 2 || after[0] != ':' {
			return false
		}
		field, after := d.plainMember(&found, string(name), skipSpace(after[1:]))
		if len(after) == 0 {
			return false
		}
		// A field that is not known, or is given twice.
		if field == 0 || seen&field != 0 {
			return false
		}
		seen |= field
		switch {
		case after[0] == ',':
			rest = skipSpace(after[1:])
		// The end of the object must be that of the text.
		case after[0] != '}' || len(after) > 1 || found.Scenario == "" || found.Outcome == Unjudged:
			return false
		default:
			*t = found
			return true
		}
	}
}

// plainMember sets the field of a name whose value is at the start of a text, and returns its bit and what follows; nil
// if that takes [decoder.whole].
func (d *decoder) plainMember(t *Trial, name string, text []byte) (field uint, rest []byte) {
	switch name {
	case "input":
		return bit(16, true), d.plainRaw(&t.Input, text, InputField)
	case "output":
		return bit(17, true), d.plainRaw(&t.Output, text, ContentFields)
	}
	value, rest, ok := plainValue(text)
	if !ok {
		return 0, nil
	}
	return d.plainField(t, name, value), rest
}

// plainRaw sets a value that is kept as it is written, if the options keep it, and returns what follows.
func (d *decoder) plainRaw(into *Raw, text []byte, part Fields) (rest []byte) {
	value, rest, ok := plainRawValue(text)
	if ok && d.fields.keeps(part) {
		*into = value
	}
	return rest
}

// plainField sets a field and returns its bit; 0 if that takes [decoder.whole].
func (d *decoder) plainField(t *Trial, name string, value token) uint {
	ok := false
	switch name {
	case "scenario":
		ok = d.plainWord(&t.Scenario, value)
		return bit(0, ok)
	case "trial":
		t.Index, ok = value.count()
		return bit(1, ok)
	case "variant":
		ok = d.plainWord(&t.Variant, value)
		return bit(2, ok)
	case "outcome":
		t.Outcome, ok = ParseOutcome(string(value.text))
		return bit(3, ok && value.quoted)
	case "cost_usd":
		t.CostUSD, ok = value.amount()
		return bit(4, ok)
	case "input_tokens":
		t.InputTokens, ok = value.tokens()
		return bit(5, ok)
	case "output_tokens":
		t.OutputTokens, ok = value.tokens()
		return bit(6, ok)
	case "duration_s":
		t.DurationSeconds, ok = value.amount()
		return bit(7, ok)
	case "model":
		ok = d.plainWord(&t.Model, value)
		return bit(8, ok)
	case "score":
		t.Score, ok = value.number()
		return bit(9, ok)
	case "started_at":
		ok = d.plainTime(&t.StartedAt, value)
		return bit(10, ok)
	case "turns":
		t.Turns, ok = value.count()
		return bit(11, ok)
	case "tool_calls":
		t.ToolCalls, ok = value.count()
		return bit(12, ok)
	case "cost_basis":
		ok = d.plainWord((*string)(&t.CostBasis), value)
		return bit(15, ok && t.CostBasis.isKnown())
	case "cost_usd_at_least":
		t.CostAtLeast, ok = value.amount()
		return bit(18, ok)
	case "tokens_at_least":
		t.TokensAtLeast, ok = value.tokens()
		return bit(19, ok)
	case "cached_tokens":
		t.CachedTokens, ok = value.tokens()
		return bit(13, ok)
	case "cache_write_tokens":
		t.CacheWrites, ok = value.tokens()
		return bit(14, ok)
	}
	return 0
}

// bit is the bit of a field that was decoded; 0 if it was not.
func bit(n uint, ok bool) uint {
	if !ok {
		return 0
	}
	return 1 << n
}

// plainWord sets a string that comes again in other trials.
func (d *decoder) plainWord(into *string, value token) bool {
	if value.quoted {
		*into = d.names.text(value.text)
	}
	return value.quoted
}

// plainTime sets a time, if the options keep it, and checks it in any case.
func (d *decoder) plainTime(into *Timestamp, value token) bool {
	if _, err := parseTimestamp(value.text); err != nil || !value.quoted || len(value.text) == 0 {
		return false
	}
	if d.fields.keeps(TimeField) {
		*into = Timestamp(value.text)
	}
	return true
}

// token is the content of a string, or a number that is not negative: digits, and a
// point with more of them.
type token struct {
	text   []byte
	quoted bool
	point  bool // the number has one
}

// skipSpace skips the one space that programs write after a colon or a comma.
func skipSpace(text []byte) []byte {
	if len(text) > 0 && text[0] == ' ' {
		return text[1:]
	}
	return text
}

// plainValue returns the string or number at the start, and what follows it.
func plainValue(text []byte) (value token, rest []byte, ok bool) {
	if len(text) > 0 && text[0] == '"' {
		value.quoted = true
		value.text, rest, ok = plainString(text)
		return value, rest, ok
	}
	whole := digits(text)
	end := whole
	if whole < len(text) && text[whole] == '.' {
		value.point = true
		fraction := digits(text[whole+1:])
		if fraction == 0 {
			return value, nil, false
		}
		end += 1 + fraction
	}
	if whole == 0 || whole > 1 && text[0] == '0' {
		return value, nil, false
	}
	value.text = text[:end]
	return value, text[end:], true
}

// digits counts those at the start.
func digits(text []byte) (n int) {
	for n < len(text) && text[n]-'0' <= 9 {
		n++
	}
	return n
}

// plainString returns the content of the string at the start, and what follows it.
func plainString(text []byte) (content, rest []byte, ok bool) {
	if len(text) == 0 || text[0] != '"' {
		return nil, nil, false
	}
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return text[1:i], text[i+1:], true
		case c == '\\' || c < ' ' || c >= 0x80:
			return nil, nil, false
		}
	}
	return nil, nil, false
}

// bigCount returns a whole number of so few digits that it fits.
func (v token) bigCount() (Optional[int64], bool) {
	if v.quoted || v.point || len(v.text) > 18 {
		return Optional[int64]{}, false
	}
	n, problem := parseCount(v.text)
	return Some(n), problem == ""
}

// count returns a whole number that fits an int.
func (v token) count() (Optional[int], bool) {
	n, ok := v.bigCount()
	return Some(int(n.Value)), ok && n.Value <= math.MaxInt
}

// tokens returns a count that is none too large.
func (v token) tokens() (Optional[int64], bool) {
	n, ok := v.bigCount()
	return n, ok && n.Value <= MaxTokens
}

// amount returns a number that is none too large.
func (v token) amount() (Optional[float64], bool) {
	x, ok := v.number()
	return x, ok && x.Value <= MaxAmount
}

// number has so few digits that it is finite.
func (v token) number() (Optional[float64], bool) {
	if v.quoted || len(v.text) > 32 {
		return Optional[float64]{}, false
	}
	x, err := strconv.ParseFloat(string(v.text), 64)
	return Some(x), err == nil
}
