package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/report/site"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// What of a trace stands on a page. Chosen, so that no page has more than 80 kB, whatever its characters are escaped
// as.
const (
	mostTraceText  = 2000  // bytes of a text
	mostTraceBytes = 10000 // of the steps on a page
	mostTraceSteps = 60    // on a page
	mostFrom       = 1 << 30
	mostResults    = 40   // of evaluators, parts among them
	mostResultText = 1000 // bytes of one
)

// search lists trials.
func (s *Server) search(ctx context.Context, r *http.Request) (p site.Page, err error) {
	var c site.Traces
	c.Now = s.now()
	what := store.Search{Most: pageTraces, Why: true}
	if c.Filter, what.Query, c.Suites, err = s.filtered(ctx, r); err != nil {
		return p, err
	}
	what.Query = what.Query.WithoutExperiments()
	what.Text = c.Filter.Text
	if after := r.URL.Query().Get("after"); after != "" {
		id, ok := store.ParseTrialID(after)
		if !ok {
			return p, &problem{http.StatusBadRequest, "there is no such trial to go on behind", ""}
		}
		what.After = id
	}
	found, err := s.options.Store.Search(ctx, what)
	if err != nil {
		return p, err
	}
	c.List, c.Looked = found.Trials, found.Looked
	if found.Next.Run != "" {
		c.On = c.Filter.Address("/traces", "after", found.Next.String())
	}
	return site.Page{Title: "Traces", Here: "/traces", Content: c}, nil
}

// trace shows one trial, or writes it as JSON.
func (s *Server) trace(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	position, asJSON := strings.CutSuffix(r.PathValue("position"), ".json")
	id, ok := store.ParseTrialID(r.PathValue("run") + "/" + r.PathValue("part") + "/" + position)
	if !ok {
		return missing("there is no such trial", "")
	}
	k, err := s.options.Store.Trial(ctx, id)
	if err != nil {
		return err
	}
	if asJSON {
		text, err := trial.Append(nil, k.Trial)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Disposition", `attachment; filename="trial.json"`)
		_, _ = w.Write(append(text, '\n')) // to one who may have gone
		return nil
	}
	p, err := s.traced(ctx, r, k)
	if err != nil {
		return err
	}
	return s.write(w, http.StatusOK, p)
}

// traced is the page of a trial.
func (s *Server) traced(ctx context.Context, r *http.Request, k *store.KeptTrial) (p site.Page, err error) {
	t := k.Trial
	c := &site.Trace{Kept: k, From: 1, Input: shown(t.Input.Text()), Output: shown(t.Output.Text()),
		Why: phrase.Excerpt(runs.TrialEvidence{Trial: t}.Why(), mostTraceText), Points: score.Recorded(t)}
	c.Now = s.now()
	if j, ok := oracle.Recorded(t); ok {
		left := mostResults
		j.Results = bounded(j.Results, &left)
		c.Judgement = &j
	}
	if from := r.URL.Query().Get("from"); from != "" {
		if c.From, err = strconv.Atoi(from); err != nil || c.From < 1 || c.From > mostFrom {
			return p, &problem{http.StatusBadRequest, "there is no such step", ""}
		}
	}
	here := "/traces/" + k.ID.String()
	bytes := 0
	for i := min(c.From-1, len(t.Steps)); i < len(t.Steps); i++ {
		step := stepOf(&t.Steps[i])
		bytes += len(step.Arguments) + len(step.Output) + len(step.Error) + len(step.Tool)
		if len(c.Steps) > 0 && bytes > mostTraceBytes || len(c.Steps) == mostTraceSteps {
			c.On = here + "?from=" + strconv.Itoa(i+1)
			break
		}
		c.AddStep(step)
	}
	if id := k.ID; id.Position > 0 {
		id.Position--
		c.Before = "/traces/" + id.String()
	}
	next, err := s.options.Store.Search(ctx, store.Search{Query: store.Query{Run: k.ID.Run}, After: k.ID, Most: 1,
		Look: 1})
	if err != nil {
		return p, err
	}
	if len(next.Trials) > 0 {
		c.Next = "/traces/" + next.Trials[0].ID.String()
	}
	title := t.Scenario
	if t.Index.Known {
		title += fmt.Sprintf("#%d", t.Index.Value)
	}
	return site.Page{Title: phrase.Excerpt(title, 200), Here: "/traces", Content: c}, nil
}

// shown is the beginning of a text, which may be JSON. Of a long one the lines are not set in: what is deep grows by
// its depth.
func shown(text string) string {
	if len(text) <= 2*mostTraceText {
		text = site.Indented(text)
	}
	return phrase.Excerpt(text, mostTraceText)
}

// stepOf is a step with its texts cut.
func stepOf(s *trial.Step) runs.Step {
	cut := func(text string) string { return phrase.Excerpt(text, mostTraceText) }
	step := runs.Step{Action: cut(string(s.Action)), Tool: cut(s.Tool), Arguments: shown(string(s.Arguments)),
		Output: shown(s.Output.Text()), Error: cut(s.Error)}
	if s.DurationSeconds.Known {
		step.Duration = &s.DurationSeconds.Value
	}
	if s.CostUSD.Known {
		step.CostUSD = &s.CostUSD.Value
	}
	if s.InputTokens.Known {
		step.InputTokens = &s.InputTokens.Value
	}
	if s.OutputTokens.Known {
		step.OutputTokens = &s.OutputTokens.Value
	}
	for i, e := range s.Events() {
		if i == 10 {
			break
		}
		step.Events = append(step.Events, phrase.Excerpt(e, 200))
	}
	return step
}

// bounded are the first of some results with their parts, as many as there is room for, with texts that are cut.
func bounded(results []oracle.Result, left *int) (list []oracle.Result) {
	for _, r := range results {
		if *left == 0 {
			break
		}
		*left--
		r.Text = phrase.Excerpt(r.Text, mostResultText)
		r.Parts = bounded(r.Parts, left)
		list = append(list, r)
	}
	return list
}
