package report

import (
	"bytes"
	"encoding/base64"
	"html/template"
	"io"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/internal/chart"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
)

// htmlPicture is a drawing in a frame of its own: its styles reach nothing else.
type htmlPicture struct {
	ID, Title, Text string
	Source          template.URL
}

// picture adds a drawing, unless there is nothing to draw.
func (p *htmlPage) picture(id, title, text string, draw func(io.Writer) error) {
	var b bytes.Buffer
	if draw(&b) != nil {
		return // nothing to draw: the tables say what there is
	}
	source := "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
	p.Pictures = append(p.Pictures, htmlPicture{id, title, clean(text), template.URL(source)})
}

func (p *htmlPage) behaviourMap(b *behaviour.Comparison, baseline, candidate string) {
	if b == nil || b.Map == nil {
		return
	}
	text := "The behaviour " + behaviourWord(b) + ": each mark is a trial, on the two axes along which trials differ most."
	p.picture("behaviour-map", "How the agent works", text, func(w io.Writer) error {
		return chart.BehaviourMap(w, chart.Behaviour{Map: b.Map, Baseline: clean(baseline), Candidate: clean(candidate)})
	})
}

func (p *htmlPage) coverageRadar(c *coverage.Result) {
	if c == nil || c.Overall == nil {
		return
	}
	p.picture("coverage-map", "What the trials reach", "The five dimensions of coverage; "+rate(*c.Overall)+" overall.", func(w io.Writer) error { return chart.CoverageRadar(w, c) })
}
