package prices

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// Rates are prices of tokens, in US dollars for a million of them: those of a provider's standard tier, without
// discounts for batches or surcharges for speed or a region.
type Rates struct {
	Input      float64                 `json:"input"`       // tokens that no cache has to do with
	Cached     trial.Optional[float64] `json:"cached"`      // read from a cache; unknown: as Input
	CacheWrite trial.Optional[float64] `json:"cache_write"` // written to one, for the shortest time; unknown: as Input
	Output     float64                 `json:"output"`      // that the model wrote, its thoughts among them
}

// cached is the price of a token that is read from a cache.
func (r Rates) cached() float64 { return or(r.Cached, r.Input) }

// cacheWrite is the price of a token that is written to a cache.
func (r Rates) cacheWrite() float64 { return or(r.CacheWrite, r.Input) }

// or is a number, or another one where it is unknown.
func or(x trial.Optional[float64], other float64) float64 {
	if x.Known {
		return x.Value
	}
	return other
}

// Row is what a model costs.
type Row struct {
	Model    string   // as its provider names it
	Aliases  []string // other names of it
	Provider string   // "openai", "anthropic", "google", "mistral", "deepseek" or "xai"; "" is none of them
	Rates    Rates
	// Long are the rates of a request with more than Above input tokens, for all of its tokens; 0: there are none.
	Above int64
	Long  Rates
	// Highest says that the price depends on the hour, and these are the highest rates.
	Highest bool
	Date    string // YYYY-MM-DD, when the source said so
	Source  string // where: the address of the provider's page, or a file
}

// Match says how the name of a model was found in a table.
type Match string

// The matches, from the closest.
const (
	ExactMatch  Match = "exact"  // the name itself, or an alias
	datedMatch  Match = "dated"  // the name with the date of a version behind it
	prefixMatch Match = "prefix" // the name with that of its provider before it, dated or not
)

// dated are the forms in which providers write the date of a version: gpt-4o-2024-08-06, claude-3-5-sonnet-20241022 and
// claude-opus-4-1@20250805.
var dated = lazy.Regexp(`^(.+)(?:-20\d\d-[01]\d-[0-3]\d|[-@]20\d\d[01]\d[0-3]\d)$`)

// prefixes are what libraries put before the name of a model, by its provider.
var prefixes = map[string][]string{
	"openai":    {"openai/"},
	"anthropic": {"anthropic/"},
	"google":    {"google/", "gemini/", "models/"},
	"mistral":   {"mistral/", "mistralai/"},
	"deepseek":  {"deepseek/"},
	"xai":       {"xai/", "x-ai/"},
}

// Find returns the row of a model: that of its name, or else that of its name without the date of a version, or
// without the prefix of the row's own provider. A name that merely begins like that of a model is another model's.
func (t *Table) Find(model string) (Row, Match, bool) {
	if row, match, found := t.named(model); found {
		return row, match, true
	}
	prefix, rest, _ := strings.Cut(model, "/")
	if row, _, found := t.named(rest); found && slices.Contains(prefixes[row.Provider], prefix+"/") {
		return row, prefixMatch, true
	}
	return Row{}, "", false
}

// named finds a name, with or without a date.
func (t *Table) named(name string) (Row, Match, bool) {
	if at, found := t.at[name]; found {
		return t.rows[at], ExactMatch, true
	}
	const longest = 200 // chosen: names of models have some thirty bytes
	if len(name) > longest {
		return Row{}, "", false
	}
	if parts := dated().FindStringSubmatch(name); parts != nil {
		if at, found := t.at[parts[1]]; found {
			return t.rows[at], datedMatch, true
		}
	}
	return Row{}, "", false
}
