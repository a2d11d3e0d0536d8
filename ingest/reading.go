package ingest

import (
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/memory"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// fileReading is a file that is being read. It takes in the trials that the decoder of its
// format finds, does with them what the options say, and hands them out.
type fileReading struct {
	file      string
	format    *format
	options   Options
	numbers   *numbering // of all files of the stream
	repeats   *repeats   // of all files of the stream; nil lets everything count twice
	spread    *record.SplitRuns
	sum       *fileSum // of the file; nil where it is not compared with others
	admit     func(*trial.Trial) error
	notes     record.Notes // of the decoder
	looksLike Format       // another format than the one that was named; "" is none
	fields    []string     // those that the beginning shows, where none of them is a trial's
	memory    *memory.Budget

	beginning []byte // of a table, which shows its words

	trials     int
	toolErrors int
	unjudged   []record.Omission
	replaced   []string // variants
	renumbered int      // trials whose numbers go on from earlier files
	content    digest   // of the trial that is handed out
	aboveOne   bool     // some score is
	withinOne  bool     // some score is, and not 0
}

// ContentOf sums up what a trial says, where it matters whether it is recorded twice.
func (r *fileReading) ContentOf(t *trial.Trial) record.Content {
	if r.repeats == nil {
		return record.Content{}
	}
	return contentOf(t)
}

// IsRepeated reports whether the run was handed out before, of this file or another.
func (r *fileReading) IsRepeated(t *trial.Trial, id string, content record.Content) (bool, error) {
	r.content = content.Digest
	if r.repeats == nil || !content.IsKnown || id == "" {
		return false, nil
	}
	again, err := r.repeats.find(r.format.name, id, r.content, t.Place)
	if again {
		r.notes.Pass(record.RepeatedRun)
	}
	return again, err
}

// Notes returns what there is to know of the file so far.
func (r *fileReading) Notes() Notes {
	n := Notes{
		File: r.file, Trials: r.trials, ToolErrors: r.toolErrors, Replaced: r.replaced, Renumbered: r.renumbered,
		Skipped: slices.Clone(r.notes.Omissions), Unjudged: slices.Clone(r.unjudged), Remarks: r.notes.Remarks,
		Sampled: slices.Clone(r.notes.Sampled),
	}
	if r.format != nil {
		n.Format = r.format.name
	}
	if least := r.options.PassScore.Value; least > 0 && least < 1 && r.aboveOne && !r.withinOne {
		n.Warning = fmt.Sprintf("no score lies between 0 and 1, and those above all pass at %v: give the least that passes "+
			"in the unit of the scores", least)
	}
	return n
}

// refuseCopy returns an error for a file that holds the same as one before, though it handed
// out trials: their log has no ids that tell. Words alone, and a record alone, may well be the same.
func (r *fileReading) refuseCopy() error {
	if r.format.name == "lines" || r.format.name == Trials && r.trials <= 1 {
		return nil
	}
	content, err := r.sum.whole()
	if err != nil {
		return err
	}
	return r.repeats.refuseCopy(r.file, content)
}

// Identify gives the trial the scenario, the number and the variant that the options
// say it has.
func (r *fileReading) Identify(t *trial.Trial) error {
	if err := r.options.Scenario.rule.Apply(t); err != nil {
		return err
	}
	if v := r.options.SetVariant; v != "" {
		if t.Variant != "" && t.Variant != v {
			r.replaced = withVariant(r.replaced, t.Variant)
		}
		t.Variant = v
	}
	return r.options.Trial.rule.Apply(t)
}

// Deliver numbers, checks and judges a trial that has its identity, and hands it out.
// The order matters: errors of tools come before the rule, which may ask for no-error.
func (r *fileReading) Deliver(t *trial.Trial, n record.Numbering) error {
	switch rule := r.options.Trial.rule; {
	case n == record.Numbered, rule.IsSet():
		r.numbers.number(t)
	case n == record.OfRun:
		if r.numbers.numberOfRun(t, r.content) {
			r.renumbered++
		}
	}
	r.toolErrors += r.options.ToolErrors.pattern.Apply(t)
	// Recordings of the own forms say amounts on purpose: there one that is too large is a mistake to tell.
	if r.format.name != Trials { // those were checked when they were read
		if r.format.name != "csv" && r.format.name != "journal" && leaveOutExcess(t) {
			r.notes.Remark("amounts that are too large for any trial are left out")
		}
		if err := t.ValidateRecord(); err != nil {
			return err
		}
	}
	r.price(t)
	r.judge(t)
	r.aboveOne = r.aboveOne || t.Score.Value > 1
	r.withinOne = r.withinOne || t.Score.Value > 0 && t.Score.Value <= 1
	if t.Outcome == trial.Unjudged && !r.options.Unjudged {
		return r.refuseUnjudged(t)
	}
	return r.admit(t)
}

// price gives a trial that tells its tokens and not its cost the one that they come to, as an estimate. The steps
// tell which model used how many; nobody else may have asked for them.
func (r *fileReading) price(t *trial.Trial) {
	if r.options.Prices == nil {
		return
	}
	r.options.Prices.Complete(t)
	if r.format.name != Trials || t.Steps == nil {
		return
	}
	if fields := r.options.ruleFields(); fields != 0 && fields&trial.StepFields == 0 {
		t.Steps = nil
	}
}

// leaveOutExcess makes amounts unknown that are larger than a trial may have, and reports whether there was one.
func leaveOutExcess(t *trial.Trial) (found bool) {
	for _, x := range []*trial.Optional[float64]{&t.CostUSD, &t.DurationSeconds, &t.CostAtLeast} {
		found = leaveOutAbove(x, trial.MaxAmount) || found
	}
	for _, n := range []*trial.Optional[int64]{
		&t.InputTokens, &t.OutputTokens, &t.CachedTokens, &t.CacheWrites, &t.TokensAtLeast,
	} {
		found = leaveOutAbove(n, trial.MaxTokens) || found
	}
	for i := range t.ModelUsage {
		u := &t.ModelUsage[i]
		found = leaveOutAbove(&u.CostUSD, trial.MaxAmount) || found
		for _, n := range []*trial.Optional[int64]{&u.InputTokens, &u.OutputTokens, &u.CachedTokens, &u.CacheWrites} {
			found = leaveOutAbove(n, trial.MaxTokens) || found
		}
	}
	for i := range t.Steps {
		s := &t.Steps[i]
		found = leaveOutAbove(&s.CostUSD, trial.MaxAmount) || found
		found = leaveOutAbove(&s.DurationSeconds, trial.MaxAmount) || found
		found = leaveOutAbove(&s.InputTokens, trial.MaxTokens) || found
		found = leaveOutAbove(&s.OutputTokens, trial.MaxTokens) || found
		found = leaveOutAbove(&s.CachedTokens, trial.MaxTokens) || found
		found = leaveOutAbove(&s.CacheWrites, trial.MaxTokens) || found
	}
	return found
}

// leaveOutAbove makes a number unknown that is larger than the most, and reports whether it was.
func leaveOutAbove[T int64 | float64](x *trial.Optional[T], most T) bool {
	if !x.Known || x.Value <= most {
		return false
	}
	*x = trial.Optional[T]{}
	return true
}

// judge gives the trial the outcome of the rule. An outcome of its own stays unless
// the options say otherwise, and that it is an error in any case: no verdict was
// reached, and the rule would not know.
func (r *fileReading) judge(t *trial.Trial) {
	rule := r.options.Pass.rule
	if !rule.IsSet() || t.Outcome != trial.Unjudged && !r.options.Rejudge || t.Outcome == trial.Error {
		return
	}
	var missing string
	if t.Outcome, missing = rule.Judge(t); missing != "" {
		r.unjudged = record.Counted(r.unjudged, record.Omission{Reason: missing, Count: 1})
	}
}

// refuseUnjudged says that nothing tells the outcome of a trial.
func (r *fileReading) refuseUnjudged(t *trial.Trial) error {
	e := &trial.FieldError{Place: t.Place, Field: "outcome", Problem: "is missing"}
	switch rule := r.options.Pass.rule; {
	case rule.IsSet():
		_, missing := rule.Judge(t)
		e.Problem += fmt.Sprintf(", and the rule %s does not tell: %s", prose.Excerpt(rule.String()), missing)
	case t.Score.Known:
		e.Advice, e.About = "there is a score: give the least score that passes with PassScore", "PassScore"
	default:
		e.Problem += fmt.Sprintf(": %s does not say whether this trial passed", r.format.name)
	}
	return e
}
