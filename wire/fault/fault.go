package fault

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Fault is what is broken, and when. The zero value of a field is its default.
type Fault struct {
	Kind Kind `json:"kind"`
	// At is the first occasion at which it may happen, from 1: the request of the attempt to a model, or of a result
	// that of its tool. It happens once then, unless Times says how often in a row.
	At int `json:"at,omitempty"`
	// Rate is the share of occasions at which it happens, above 0 and up to 1; 0 is each.
	Rate float64 `json:"rate,omitempty"`
	// Times is how often it happens at most; 0 is as often as there is an occasion, and once where At is given.
	Times int    `json:"times,omitempty"`
	Tool  string `json:"tool,omitempty"` // of which; "" is any

	RetryAfter      time.Duration `json:"retry_after,omitempty"`       // what is told of how long to wait; 0 is 1s
	Latency         time.Duration `json:"latency,omitempty"`           // before the answer
	TokensPerSecond float64       `json:"tokens_per_second,omitempty"` // of the answer; 0 is as they come
	Name            string        `json:"name,omitempty"`              // of a tool, or of a model
	Size            int           `json:"size,omitempty"`              // of a result, in bytes
	Payload         string        `json:"payload,omitempty"`           // by its name: see [Payloads]; "" is drawn
	Place           Place         `json:"place,omitempty"`             // "" is drawn
}

// Bounds of options.
const (
	mostWait   = 10 * time.Minute
	mostOften  = 1_000_000
	mostSize   = 16 << 20
	someSize   = 400_000
	someWait   = time.Second
	someDelay  = 2 * time.Second
	mostTokens = 1_000_000
)

// always are options of every kind.
var always = []string{"at", "rate", "times"}

// Set gives an option a value as a person writes it, such as "at" and "2".
func (f *Fault) Set(option, value string) (err error) {
	a, known := about(f.Kind)
	if known && !slices.Contains(always, option) && !slices.Contains(a.Options, option) {
		return fmt.Errorf("%s is no option of %s, which has %s", prose.Quote(option), f.Kind,
			strings.Join(slices.Concat(always, a.Options), ", "))
	}
	switch option {
	case "at":
		f.At, err = strconv.Atoi(value)
	case "rate":
		f.Rate, err = strconv.ParseFloat(value, 64)
	case "times":
		f.Times, err = strconv.Atoi(value)
	case "tool":
		f.Tool = value
	case "retry_after":
		f.RetryAfter, err = time.ParseDuration(value)
	case "latency":
		f.Latency, err = time.ParseDuration(value)
	case "tokens_per_second":
		f.TokensPerSecond, err = strconv.ParseFloat(value, 64)
	case "name":
		f.Name = value
	case "size":
		f.Size, err = strconv.Atoi(value)
	case "payload":
		f.Payload = value
	case "place":
		f.Place = Place(value)
	}
	if err != nil {
		return fmt.Errorf("%s: %s cannot be read", option, prose.Quote(value))
	}
	return f.checkOption(option)
}

// Check returns what is wrong with a fault: of a kind that is not known, or with an option out of its bounds.
func (f *Fault) Check() error {
	a, known := about(f.Kind)
	if !known {
		return fmt.Errorf("%s is no kind of fault: %s", prose.Quote(string(f.Kind)), strings.Join(Names(), ", "))
	}
	for _, option := range f.given() {
		if !slices.Contains(always, option) && !slices.Contains(a.Options, option) {
			return fmt.Errorf("%s is no option of %s", option, f.Kind)
		}
		if err := f.checkOption(option); err != nil {
			return err
		}
	}
	return nil
}

// given are the options that have a value.
func (f *Fault) given() (names []string) {
	for _, o := range f.options() {
		if o.value != "" {
			names = append(names, o.name)
		}
	}
	return names
}

// option is an option with its value, as a person writes it; "" is none.
type option struct{ name, value string }

// options are all options.
func (f *Fault) options() []option {
	number := func(x float64) string {
		if x == 0 {
			return ""
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	wait := func(d time.Duration) string {
		if d == 0 {
			return ""
		}
		return d.String()
	}
	return []option{
		{"at", number(float64(f.At))}, {"rate", number(f.Rate)}, {"times", number(float64(f.Times))}, {"tool", f.Tool},
		{"retry_after", wait(f.RetryAfter)}, {"latency", wait(f.Latency)},
		{"tokens_per_second", number(f.TokensPerSecond)}, {"name", f.Name}, {"size", number(float64(f.Size))},
		{"payload", f.Payload}, {"place", string(f.Place)},
	}
}

// checkOption returns what is wrong with a value.
func (f *Fault) checkOption(option string) error {
	bounded := func(x, least, most float64) error {
		if x >= least && x <= most { // and so a number
			return nil
		}
		return fmt.Errorf("%s must be from %.0f to %.0f", option, least, most)
	}
	switch option {
	case "at":
		return bounded(float64(f.At), 1, mostOften)
	case "times":
		return bounded(float64(f.Times), 1, mostOften)
	case "rate":
		if !(f.Rate > 0 && f.Rate <= 1) {
			return fmt.Errorf("rate must be above 0 and at most 1")
		}
	case "size":
		return bounded(float64(f.Size), 1, mostSize)
	case "tokens_per_second":
		if !(f.TokensPerSecond > 0) || math.IsInf(f.TokensPerSecond, 0) || f.TokensPerSecond > mostTokens {
			return fmt.Errorf("tokens_per_second must be above 0 and at most %d", mostTokens)
		}
	case "retry_after":
		return f.checkWait(option, f.RetryAfter)
	case "latency":
		return f.checkWait(option, f.Latency)
	case "payload":
		if _, known := payloadOf(f.Payload); !known {
			return fmt.Errorf("payload: %s is none of %s", prose.Quote(f.Payload), strings.Join(payloadNames(), ", "))
		}
	case "place":
		if !slices.Contains(Places(), f.Place) {
			return fmt.Errorf("place: %s is none of %s", prose.Quote(string(f.Place)), joined(Places()))
		}
	case "tool", "name":
		if strings.TrimSpace(f.Tool+f.Name) == "" {
			return fmt.Errorf("%s must not be empty", option)
		}
	}
	return nil
}

// checkWait returns what is wrong with a duration.
func (f *Fault) checkWait(option string, d time.Duration) error {
	if d <= 0 || d > mostWait {
		return fmt.Errorf("%s must be above 0 and at most %v", option, mostWait)
	}
	return nil
}

// joined are places in a line.
func joined(places []Place) string {
	var names []string
	for _, p := range places {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

// Parse reads KIND[:KEY=VALUE,...], such as "slow:latency=2s,at=1".
func Parse(text string) (f Fault, err error) {
	kind, rest, more := strings.Cut(text, ":")
	f.Kind = Kind(kind)
	if err := f.Check(); err != nil || !more {
		return f, err
	}
	for _, one := range strings.Split(rest, ",") {
		option, value, ok := strings.Cut(one, "=")
		if !ok || value == "" {
			return f, fmt.Errorf("%s is not KEY=VALUE, such as at=2", prose.Quote(one))
		}
		if err := f.Set(option, value); err != nil {
			return f, err
		}
	}
	return f, nil
}

// String is a fault as [Parse] reads it.
func (f Fault) String() string {
	var parts []string
	for _, o := range f.options() {
		if o.value != "" {
			parts = append(parts, o.name+"="+o.value)
		}
	}
	if parts == nil {
		return string(f.Kind)
	}
	return string(f.Kind) + ":" + strings.Join(parts, ",")
}
