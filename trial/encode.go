package trial

import (
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Append appends the trial as one line of JSON, without the newline, to dst.
// Fields that are unknown are left out, numbers are written with the digits that
// bring back the same number, and what [Read] would refuse is refused with the
// same [FieldError]; dst is returned unchanged then. A trial that is [Unjudged] is
// written without an outcome, and read again where [Options].Unjudged admits it.
func Append(dst []byte, t *Trial) ([]byte, error) {
	if err := t.ValidateRecord(); err != nil {
		return dst, err
	}
	e := encoder{dst: append(dst, '{')}
	e.text("scenario", t.Scenario)
	e.count("trial", t.Index)
	e.text("variant", t.Variant)
	if t.Outcome != Unjudged {
		e.text("outcome", t.Outcome.String())
	}
	e.number("score", t.Score)
	e.cause(t.Error)
	e.text("started_at", string(t.StartedAt))
	e.number("duration_s", t.DurationSeconds)
	e.text("model", t.Model)
	e.number("cost_usd", t.CostUSD)
	e.text("cost_basis", string(t.CostBasis))
	e.number("cost_usd_at_least", t.CostAtLeast)
	e.bigCount("input_tokens", t.InputTokens)
	e.bigCount("output_tokens", t.OutputTokens)
	e.bigCount("tokens_at_least", t.TokensAtLeast)
	e.bigCount("cached_tokens", t.CachedTokens)
	e.bigCount("cache_write_tokens", t.CacheWrites)
	e.count("turns", t.Turns)
	e.count("tool_calls", t.ToolCalls)
	e.modelUsage(t.ModelUsage)
	e.steps(t.Steps)
	e.raw("input", t.Input)
	e.raw("output", t.Output)
	e.count("attempt", t.Attempt)
	e.tags(t.Tags)
	e.members(t.Extra)
	return append(e.dst, '}'), nil
}

// encoder appends the members of the object that is open. It assumes valid
// values.
type encoder struct{ dst []byte }

// name begins a member: a comma unless it is the first, and the name.
func (e *encoder) name(name string) {
	if last := e.dst[len(e.dst)-1]; last != '{' && last != '[' {
		e.dst = append(e.dst, ',')
	}
	e.quote(name)
	e.dst = append(e.dst, ':')
}

// quote appends a JSON string.
func (e *encoder) quote(text string) {
	e.dst, _ = jsontext.AppendQuote(e.dst, text) // valid UTF-8, so no error
}

// text appends a string that is not empty.
func (e *encoder) text(name, value string) {
	if value != "" {
		e.name(name)
		e.quote(value)
	}
}

// count appends a number that is known.
func (e *encoder) count(name string, value Optional[int]) {
	if value.Known {
		e.name(name)
		e.dst = strconv.AppendInt(e.dst, int64(value.Value), 10)
	}
}

// bigCount appends a number that is known.
func (e *encoder) bigCount(name string, value Optional[int64]) {
	if value.Known {
		e.name(name)
		e.dst = strconv.AppendInt(e.dst, value.Value, 10)
	}
}

// number appends a number that is known, as short as it can be without loss.
func (e *encoder) number(name string, value Optional[float64]) {
	if !value.Known {
		return
	}
	e.name(name)
	format := byte('f')
	if size := math.Abs(value.Value); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e' // as encoding/json does
	}
	e.dst = strconv.AppendFloat(e.dst, value.Value, format, -1, 64)
}

// raw appends a value that is there, as it stands.
func (e *encoder) raw(name string, value Raw) {
	if value != nil {
		e.name(name)
		e.dst = value.appendTo(e.dst)
	}
}

// members appends members in their order.
func (e *encoder) members(members []Member) {
	for _, m := range members {
		e.raw(m.Name, m.Value)
	}
}

// tags appends the tags, if there are any.
func (e *encoder) tags(tags []Member) {
	if len(tags) == 0 {
		return
	}
	e.name("tags")
	e.dst = append(e.dst, '{')
	e.members(tags)
	e.dst = append(e.dst, '}')
}

// cause appends the error, if there is one.
func (e *encoder) cause(c *Cause) {
	if c == nil {
		return
	}
	e.name("error")
	e.dst = append(e.dst, '{')
	e.text("origin", string(c.Origin))
	e.text("type", c.Type)
	e.text("message", c.Message)
	e.members(c.Extra)
	e.dst = append(e.dst, '}')
}

// modelUsage appends what each model took, if that is told.
func (e *encoder) modelUsage(uses []ModelUse) {
	if len(uses) == 0 {
		return
	}
	e.name("model_usage")
	e.dst = append(e.dst, '[')
	for i := range uses {
		if i > 0 {
			e.dst = append(e.dst, ',')
		}
		e.modelUse(&uses[i])
	}
	e.dst = append(e.dst, ']')
}

// modelUse appends what a model took.
func (e *encoder) modelUse(u *ModelUse) {
	e.dst = append(e.dst, '{')
	e.text("model", u.Model)
	e.number("cost_usd", u.CostUSD)
	e.bigCount("input_tokens", u.InputTokens)
	e.bigCount("output_tokens", u.OutputTokens)
	e.bigCount("cached_tokens", u.CachedTokens)
	e.bigCount("cache_write_tokens", u.CacheWrites)
	e.members(u.Extra)
	e.dst = append(e.dst, '}')
}

// steps appends the steps, also where they were recorded and there was none.
func (e *encoder) steps(steps []Step) {
	if steps == nil {
		return
	}
	e.name("steps")
	e.dst = append(e.dst, '[')
	for i := range steps {
		if i > 0 {
			e.dst = append(e.dst, ',')
		}
		e.step(&steps[i])
	}
	e.dst = append(e.dst, ']')
}

// step appends one step.
func (e *encoder) step(s *Step) {
	e.dst = append(e.dst, '{')
	e.text("action", string(s.Action))
	e.text("tool", s.Tool)
	e.raw("arguments", s.Arguments)
	e.raw("output", s.Output)
	e.text("error", s.Error)
	e.count("depth", s.Depth)
	e.number("duration_s", s.DurationSeconds)
	e.number("cost_usd", s.CostUSD)
	e.bigCount("input_tokens", s.InputTokens)
	e.bigCount("output_tokens", s.OutputTokens)
	e.bigCount("cached_tokens", s.CachedTokens)
	e.bigCount("cache_write_tokens", s.CacheWrites)
	e.text("model", s.Model)
	e.members(s.Extra)
	e.dst = append(e.dst, '}')
}
