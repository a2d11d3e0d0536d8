package trial

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Validate returns a [FieldError], with the place of the trial, for the first
// field that [Read] would not have let pass: a scenario or an outcome that is
// missing, a negative count, a number that is not finite, a text that is not
// UTF-8, a [Raw] value that is not JSON, a name given twice.
func (t *Trial) Validate() error {
	if err := t.ValidateRecord(); err != nil {
		return err
	}
	if t.Outcome == Unjudged {
		return t.fieldError("outcome", "", "is missing", "it is pass, fail or error")
	}
	return nil
}

// ValidateRecord is [Trial.Validate] for a trial that nobody need have judged: its
// outcome may be [Unjudged].
func (t *Trial) ValidateRecord() error {
	// In the order in which the fields are written, so that the first problem is the first in the line.
	v := validator{place: t.Place}
	if t.Scenario == "" {
		v.fail("scenario", "", "is missing", "every trial needs the name of what was tried")
	}
	if t.Outcome > Error {
		v.fail("outcome", "", "is missing", "it is pass, fail or error")
	}
	v.text("scenario", t.Scenario)
	v.count("trial", t.Index)
	v.text("variant", t.Variant)
	v.finite("score", t.Score)
	v.cause(t.Error)
	v.timestamp(t.StartedAt)
	v.amount("duration_s", t.DurationSeconds)
	v.text("model", t.Model)
	v.amount("cost_usd", t.CostUSD)
	v.costBasis(t.CostBasis)
	v.amount("cost_usd_at_least", t.CostAtLeast)
	v.tokens("input_tokens", t.InputTokens)
	v.tokens("output_tokens", t.OutputTokens)
	v.tokens("tokens_at_least", t.TokensAtLeast)
	v.tokens("cached_tokens", t.CachedTokens)
	v.tokens("cache_write_tokens", t.CacheWrites)
	v.count("turns", t.Turns)
	v.count("tool_calls", t.ToolCalls)
	for i := range t.ModelUsage {
		v.modelUse(i, &t.ModelUsage[i])
	}
	for i := range t.Steps {
		v.step(i, &t.Steps[i])
	}
	v.raw("input", t.Input)
	v.raw("output", t.Output)
	v.count("attempt", t.Attempt)
	v.members("tags.", t.Tags, nil)
	v.members("", t.Extra, trialFields)
	if v.err == nil {
		return nil // not a nil pointer in an interface
	}
	return v.err
}

// validator keeps the first error.
type validator struct {
	place Place
	list  string // whose element is checked, "" for the trial itself
	index int    // of the element
	err   *FieldError
}

// fail keeps the first problem.
func (v *validator) fail(field, value, problem, hint string) {
	if v.list != "" {
		field = v.list + "[" + strconv.Itoa(v.index) + "]." + field
	}
	if v.err == nil {
		v.err = &FieldError{Place: v.place, Field: field, Value: value, Problem: problem, Advice: hint}
	}
}

// text refuses what JSON would have to change: bytes that are not UTF-8.
func (v *validator) text(field, value string) {
	if !utf8.ValidString(value) {
		v.fail(field, strconv.Quote(value), "is not UTF-8 text", "")
	}
}

// timestamp refuses what is neither empty nor a time.
func (v *validator) timestamp(value Timestamp) {
	if value == "" {
		return
	}
	if _, err := parseTimestamp([]byte(value)); err != nil {
		v.fail("started_at", strconv.Quote(string(value)), "is not a time", timeForm)
	}
}

// count refuses a negative number.
func (v *validator) count(field string, n Optional[int]) { whole(v, field, n) }

// tokens refuses a negative number, and one above [MaxTokens].
func (v *validator) tokens(field string, n Optional[int64]) {
	whole(v, field, n)
	if n.Known && n.Value > MaxTokens {
		v.fail(field, fmt.Sprint(n.Value), tooMuch(MaxTokens), "omit it where it is unknown")
	}
}

// whole refuses a negative number of any type.
func whole[T cmp.Ordered](v *validator, field string, n Optional[T]) {
	var zero T
	if n.Known && n.Value < zero {
		v.fail(field, fmt.Sprint(n.Value), "must not be negative", "omit it where it is unknown")
	}
}

// finite refuses NaN and the infinities, which JSON does not have.
func (v *validator) finite(field string, x Optional[float64]) {
	if x.Known && (math.IsNaN(x.Value) || math.IsInf(x.Value, 0)) {
		v.fail(field, fmt.Sprint(x.Value), "must be a finite number", "omit it where it is unknown")
	}
}

// amount refuses what is not finite, negative, or above [MaxAmount].
func (v *validator) amount(field string, x Optional[float64]) {
	v.finite(field, x)
	whole(v, field, x)
	if x.Known && x.Value > MaxAmount {
		v.fail(field, fmt.Sprint(x.Value), tooMuch(MaxAmount), "omit it where it is unknown")
	}
}

// costBasis refuses a word that is none.
func (v *validator) costBasis(b CostBasis) {
	if !b.isKnown() {
		v.fail("cost_basis", strconv.Quote(string(b)), "is not known", costBases)
	}
}

// costBases says which words there are.
const costBases = `write "estimated" or "at-most", or omit it where the cost was recorded`

// isKnown reports whether it is one of the words.
func (b CostBasis) isKnown() bool { return b == RecordedCost || b == EstimatedCost || b == CostAtMost }

// raw refuses what is not one JSON value.
func (v *validator) raw(field string, r Raw) {
	if r != nil && !r.valid() {
		v.fail(field, string(r[:min(len(r), 200)]), "is not one valid JSON value", "")
	}
}

// members refuses names that stand twice, or that are those of fields, and values that
// are not JSON.
func (v *validator) members(prefix string, members []Member, known []string) {
	var seen map[string]bool // for long lists; of short ones each is compared with those before it
	const short = 16
	if len(members) > short {
		seen = make(map[string]bool, len(members))
	}
	for i, m := range members {
		if !utf8.ValidString(m.Name) || m.Value == nil || !m.Value.valid() { // else no name is put together
			v.text(prefix+m.Name, m.Name)
			if m.Value == nil {
				v.fail(prefix+m.Name, "", "has no value", "")
			}
			v.raw(prefix+m.Name, m.Value)
		}
		again := seen[m.Name]
		if seen == nil {
			again = slices.ContainsFunc(members[:i], func(other Member) bool { return other.Name == m.Name })
		} else {
			seen[m.Name] = true
		}
		if again || slices.Contains(known, m.Name) {
			v.fail(prefix+m.Name, "", "is given twice", "a name may stand only once in a JSON object")
		}
	}
}

// cause checks the parts of an error.
func (v *validator) cause(c *Cause) {
	if c == nil {
		return
	}
	v.text("error.origin", string(c.Origin))
	v.text("error.type", c.Type)
	v.text("error.message", c.Message)
	v.members("error.", c.Extra, causeFields)
}

// modelUse checks what a model took; fields are named with its number.
func (v *validator) modelUse(i int, u *ModelUse) {
	v.list, v.index = "model_usage", i
	if u.Model == "" {
		v.fail("model", "", "is missing", namesModel)
	}
	v.text("model", u.Model)
	v.amount("cost_usd", u.CostUSD)
	v.tokens("input_tokens", u.InputTokens)
	v.tokens("output_tokens", u.OutputTokens)
	v.tokens("cached_tokens", u.CachedTokens)
	v.tokens("cache_write_tokens", u.CacheWrites)
	v.members("", u.Extra, modelUseFields)
	v.list = ""
}

// namesModel is the advice where what a model took does not name it.
const namesModel = "write the name of the model that took this"

// step checks a step; fields are named with its number.
func (v *validator) step(i int, s *Step) {
	v.list, v.index = "steps", i
	if s.Action == "" {
		v.fail("action", "", "is missing", "write reason, call_tool, respond or another word")
	}
	v.text("action", string(s.Action))
	v.text("tool", s.Tool)
	v.raw("arguments", s.Arguments)
	v.raw("output", s.Output)
	v.text("error", s.Error)
	v.count("depth", s.Depth)
	v.amount("duration_s", s.DurationSeconds)
	v.amount("cost_usd", s.CostUSD)
	v.tokens("input_tokens", s.InputTokens)
	v.tokens("output_tokens", s.OutputTokens)
	v.tokens("cached_tokens", s.CachedTokens)
	v.tokens("cache_write_tokens", s.CacheWrites)
	v.text("model", s.Model)
	v.members("", s.Extra, stepFields)
	v.list = ""
}
