package score

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// member is the field of a trial's record that has its points.
const member = "axes"

// Trial is what one trial has on the axes.
type Trial struct {
	Axes []AxisResult `json:"axes"` // in the order in which they were scored
}

// AxisResult is what a trial has on one axis.
type AxisResult struct {
	Name   string   `json:"name"`
	From   Source   `json:"from,omitempty"`   // "" of one with parts
	Digest string   `json:"digest,omitempty"` // of what a suite says of the axis; "" is not known
	Max    float64  `json:"max"`              // points of a share of 1
	Points *float64 `json:"points,omitempty"` // nil where it is not known; 0 where it was gated
	// Gated says that its condition did not hold: it has no points, and no judge was asked.
	Gated bool        `json:"gated,omitempty"`
	Text  string      `json:"text,omitempty"` // the evidence in a sentence
	Parts []FoundPart `json:"parts,omitempty"`
}

// FoundPart is what was found of a part of an axis.
type FoundPart struct {
	Name  string             `json:"name"`
	Level *float64           `json:"level,omitempty"` // nil where it is not known
	Max   float64            `json:"max"`             // the highest level; 1 where there are none
	Text  string             `json:"text,omitempty"`  // the evidence
	Judge string             `json:"judge,omitempty"` // digest of the judge, as of [oracle.DigestOf]
	Usage *oracle.JudgeUsage `json:"usage,omitempty"` // what the judge took; nil where it does not tell
}

// How much a record holds. Chosen: the article that axes come from has three, of ten parts each.
const (
	maxAxes      = 30
	maxParts     = 100
	maxTextBytes = 300
	maxPoints    = 1e9
)

// MaxAxes, MaxParts and MaxPoints bound what a suite may score.
const (
	MaxAxes   = maxAxes
	MaxParts  = maxParts  // of an axis
	MaxPoints = maxPoints // of an axis
)

// Record writes into the record of a trial what it has on the axes; nil is that it was not scored. What the record said
// before is gone: points are not for agents to give.
func (t *Trial) Record(to *trial.Trial) {
	if t == nil {
		to.SetExtra(member, nil)
		return
	}
	text, err := json.Marshal(t)
	if err != nil {
		text = nil // not reached: it holds texts and finite numbers
	}
	to.SetExtra(member, text)
}

// Recorded is what [Trial.Record] wrote; nil where the trial was not scored, and where what is written cannot be.
func Recorded(t *trial.Trial) *Trial {
	var found *Trial
	if json.Unmarshal(t.ExtraOf(member), &found) != nil || found == nil || found.Problem() != "" {
		return nil
	}
	return found
}

// Axis is what was found on the axis of a name; nil where it was not scored.
func (t *Trial) Axis(name string) *AxisResult {
	if t == nil {
		return nil
	}
	for i := range t.Axes {
		if t.Axes[i].Name == name {
			return &t.Axes[i]
		}
	}
	return nil
}

// Sum is the points on all axes, and what they may be; unknown where those of one are.
func (t *Trial) Sum() (points trial.Optional[float64], most float64) {
	points = trial.Some(0.0)
	for _, a := range t.Axes {
		most += a.Max
		if a.Points == nil {
			points.Known = false
			continue
		}
		points.Value += *a.Points
	}
	if !points.Known {
		points.Value = 0
	}
	return points, most
}

// Same reports whether both have the same points on the same axes, whatever the evidence.
func (t *Trial) Same(other *Trial) bool {
	if t == nil || other == nil {
		return t == other
	}
	return slices.EqualFunc(t.Axes, other.Axes, func(a, b AxisResult) bool {
		return a.Name == b.Name && a.From == b.From && a.Max == b.Max && a.Gated == b.Gated &&
			(a.Points == nil) == (b.Points == nil) && (a.Points == nil || *a.Points == *b.Points)
	})
}

// String is the points on each axis, such as "tests 61 of 63, principles not known".
func (t *Trial) String() string {
	if t == nil {
		return "not scored"
	}
	var list []string
	for _, a := range t.Axes {
		points := "not known"
		if a.Points != nil {
			points = fmt.Sprintf("%s of %s", phrase.Number(*a.Points), phrase.Number(a.Max))
		}
		list = append(list, a.Name+" "+points)
	}
	return strings.Join(list, ", ")
}

// Problem says what no scoring finds in a trial; "" is nothing.
func (t *Trial) Problem() string {
	if len(t.Axes) == 0 || len(t.Axes) > maxAxes {
		return fmt.Sprintf("%d axes", len(t.Axes))
	}
	seen := map[string]bool{}
	for _, a := range t.Axes {
		switch {
		case seen[a.Name]:
			return fmt.Sprintf("the axis %.80q twice", a.Name)
		case !namePattern().MatchString(a.Name):
			return fmt.Sprintf("an axis called %.80q", a.Name)
		case !(a.Max > 0 && a.Max <= maxPoints):
			return fmt.Sprintf("an axis of %v points", a.Max)
		case a.Points != nil && !(*a.Points >= 0 && *a.Points <= a.Max):
			return fmt.Sprintf("%v points of %v", *a.Points, a.Max)
		case a.Gated && (a.Points == nil || *a.Points != 0 || len(a.Parts) > 0):
			return fmt.Sprintf("the axis %.80q gated, and scored", a.Name)
		case len(a.Parts) > maxParts:
			return fmt.Sprintf("%d parts", len(a.Parts))
		}
		seen[a.Name] = true
		for _, p := range a.Parts {
			if !(p.Max > 0 && !math.IsInf(p.Max, 0)) || p.Level != nil && !(*p.Level >= 0 && *p.Level <= p.Max) {
				return fmt.Sprintf("a level beyond %v", p.Max)
			}
		}
	}
	return ""
}

// Size is about how many bytes the points take in a document, with a frame for each part.
func (t *Trial) Size(frame int) (n int) {
	if t == nil {
		return 0
	}
	for _, a := range t.Axes {
		n += frame + len(a.Text)
		for _, p := range a.Parts {
			n += frame + len(p.Name) + len(p.Text) + len(p.Judge)
		}
	}
	return n
}

// bounded is a text as long as a record holds it.
func bounded(text string) string { return phrase.Excerpt(text, maxTextBytes) }
