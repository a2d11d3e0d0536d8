package mutation

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/tribunal-dev/tribunal/trial"
)

// form is a configuration as JSON.
type form struct {
	Prompt      string            `json:"prompt,omitempty"`
	Tools       []json.RawMessage `json:"tools,omitempty"`
	Model       string            `json:"model,omitempty"`
	Models      *modelsForm       `json:"models,omitempty"`
	Temperature *float64          `json:"temperature,omitempty"`
	Context     []json.RawMessage `json:"context,omitempty"`

	Orchestration string `json:"orchestration,omitempty"`
}

// modelsForm are other models as JSON.
type modelsForm struct {
	SameTier []string `json:"same_tier,omitempty"`
	Older    []string `json:"older,omitempty"`
}

// MarshalJSON writes a configuration as an operator of the user's own reads it: an object with prompt, tools (as they
// were read), model, models (same_tier, older), temperature, context (texts, or JSON as it was read) and orchestration
// (a text). Components
// that are not there are left out, and markers of the prompt stay. Results are no part of it.
func (c Configuration) MarshalJSON() ([]byte, error) {
	f := form{Prompt: c.Prompt, Model: c.Model, Orchestration: c.Orchestration}
	for _, t := range c.Tools {
		f.Tools = append(f.Tools, t.Raw)
	}
	if len(c.Models.SameTier)+len(c.Models.Older) > 0 {
		f.Models = &modelsForm{c.Models.SameTier, c.Models.Older}
	}
	if c.Temperature.Known {
		f.Temperature = &c.Temperature.Value
	}
	for _, s := range c.Context {
		raw := json.RawMessage(s.Raw)
		if !s.JSON {
			raw = json.RawMessage(trial.RawString(s.Raw))
		}
		f.Context = append(f.Context, raw)
	}
	return json.Marshal(f)
}

// UnmarshalJSON reads what [Configuration.MarshalJSON] writes, and refuses other members. Documents of the context that
// are JSON strings are texts.
func (c *Configuration) UnmarshalJSON(text []byte) error {
	var f form
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return err
	}
	*c = Configuration{Prompt: f.Prompt, Model: f.Model, Orchestration: f.Orchestration}
	for i, raw := range f.Tools {
		t := Tool{raw}
		if err := t.check(); err != nil {
			return fmt.Errorf("tool %d: %w", i+1, err)
		}
		c.Tools = append(c.Tools, t)
	}
	if f.Models != nil {
		c.Models = Models{f.Models.SameTier, f.Models.Older}
	}
	if f.Temperature != nil {
		c.Temperature = trial.Some(*f.Temperature)
	}
	for i, raw := range f.Context {
		var plain string
		switch {
		case json.Unmarshal(raw, &plain) == nil:
			c.Context = append(c.Context, Segment{Raw: plain})
		case len(raw) > 0 && raw[0] == '{':
			c.Context = append(c.Context, Segment{Raw: string(raw), JSON: true})
		default:
			return fmt.Errorf("document %d of the context is neither a text nor an object", i+1)
		}
	}
	return nil
}
