package improving

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/ratchet"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt/keep"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
)

// starterLoop is the file of a loop to start from.
//
//go:embed starter-ratchet/ratchet.yaml
var starterLoop []byte

// SessionRequest asks for a session of challengers.
type SessionRequest struct {
	Suite string // file or folder; "" is the one that is found from the working directory upwards
	Pairs ratchet.Pairs
	Seed  uint64 // by which the scenarios are split and drawn
	Fresh bool   // begins another session although there is one, which is kept aside
	To    deliver.Target
}

// BeginSession begins the session, and prints what its tests do.
func BeginSession(ctx context.Context, a *world.World, r SessionRequest) error {
	q := r.Pairs.Question
	q.Alpha = r.Pairs.Alpha
	if bad, ok := errors.AsType[*keep.QuestionError](q.Check()); ok {
		return problem.Usage("tribunal improve ratchet init --help all has what each means", "--%s %s", bad.Option,
			bad.Problem)
	}
	s, err := suitefile.Named(a, r.Suite)
	if err != nil {
		return err
	}
	to, err := r.To.File(ctx, a, []string{s.File})
	if err != nil {
		return err
	}
	session, err := ratchet.BeginSession(s, r.Pairs, r.Seed, ratchet.Options{Fresh: r.Fresh, Version: a.Version,
		Now: a.Now})
	if err != nil {
		return ratchetProblem(err)
	}
	promised, err := session.Promise(ctx)
	if err = errors.Join(err, session.Close()); err != nil {
		return err
	}
	if err := r.To.Show(ctx, a, to, promiseDocument(promised)); err != nil {
		return err
	}
	a.Notice("note", "the current version is the agent of the suite; next: tribunal improve ratchet try "+
		"--challenger NAME, "+otherSide)
	return nil
}

// otherSide says what may be compared with the current version.
const otherSide = "a variant or the suite of another folder"

// WriteLoop writes the file of a loop to start from.
func WriteLoop(a *world.World) error {
	file, err := os.OpenFile(ratchet.FileName, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return problem.BadInput(fmt.Sprintf("%s cannot be written: %v", ratchet.FileName, problem.WithoutPath(err)),
			"it is written where there is none")
	}
	_, err = file.Write(starterLoop)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Out, "wrote %s: name your files, tests and commands in it, then tribunal improve ratchet run\n",
		ratchet.FileName)
	return err
}

// promiseDocument says what the tests of a session do.
func promiseDocument(p *ratchet.Promise) *report.Document {
	d := new(report.Document).Listing(p.Schema, "session of candidates", p)
	t := d.NewTable("Rounds", ">round", ">level", ">most pairs", ">the same", ">then kept", ">worse", ">better",
		">then kept")
	pairs := func(x float64) string { return strconv.FormatFloat(x, 'f', 0, 64) }
	share := func(x float64) string { return strconv.FormatFloat(100*x, 'f', 1, 64) + "%" }
	for _, r := range p.Rounds {
		t.Add(r.Round, strconv.FormatFloat(r.Level, 'g', 2, 64), r.MaxPairs, pairs(r.Same.Pairs), share(r.Same.Keep),
			pairs(r.Worse.Pairs), pairs(r.Better.Pairs), share(r.Better.Keep))
	}
	promise := fmt.Sprintf("The chance that the session keeps anything that is no better is at most %s.",
		phrase.Percent(p.Alpha))
	if p.Spending == keep.LORD {
		promise = fmt.Sprintf("At most %s of what the session keeps is expected to be no better; each keep earns more level.",
			phrase.Percent(p.Alpha))
	}
	sets := fmt.Sprintf("%s: %d to search, %d held out, %d for the end", prose.Count(p.Scenarios, "scenario"),
		p.Sets.Search,
		p.Sets.HeldOut, p.Sets.Final)
	if p.Sets.Final == 0 {
		sets = fmt.Sprintf("%s: too few to be split, all are to search and held out", prose.Count(p.Scenarios, "scenario"))
	}
	d.Below(t, "expected pairs of a candidate, exact, where the current version passes %s and nothing is kept before; "+
		"worse "+
		"and better are by %s", phrase.Percent(p.Rate), phrase.Points(p.Gain))
	d.Below(t, "give --rate what the current version passes: where that is %s, %s of gains are kept in the first round",
		phrase.Percent(max(0, p.Rate-p.Gain)), share(p.Rounds[0].Lower.Keep))
	d.Below(t, "%s", sets)
	d.Below(t, "%s", promise)
	return d
}

// ChallengeRequest asks whether a challenger takes the place of the champion.
type ChallengeRequest struct {
	Suite      string // file or folder; "" is the one that is found from the working directory upwards
	Champion   string // a variant, or the suite of another folder; "" is the agent of the suite
	Challenger string // likewise
	// Final is how many pairs of each scenario of the final set are made, which is opened in place of a decision; 0
	// opens none.
	Final   int
	MaxCost trial.Optional[float64] // USD
	Output  string                  // file of the saved result; "" saves none
	Result  deliver.Target
	Given   value.GivenOptions // for messages
}

// ratchetSide is the agent that a name means.
func ratchetSide(a *world.World, s *suite.Suite, flag, name string) (ratchet.Side, error) {
	for _, v := range s.Variants {
		if v.Name == name {
			return ratchet.Side{Suite: s, Variant: name}, nil
		}
	}
	if name == "" {
		return ratchet.Side{Suite: s}, nil
	}
	if !evidence.IsSuite(name) || a.Guest != nil { // a guest has the agents of one suite
		var names []string
		for _, v := range s.Variants {
			names = append(names, v.Name)
		}
		has := "the suite has no variants: name the suite of another folder"
		if len(names) > 0 {
			has = "the suite has " + prose.Some(suitefile.QuotedAll(names), 5) + "; or name the suite of another folder"
		}
		hint := cmp.Or(problem.DidYouMean("", name, names), has+", such as ../branch/tribunal.yaml")
		return ratchet.Side{}, problem.Usage(hint, "%s %s is no variant of the suite, and no suite", flag, prose.Quote(name))
	}
	other, err := suitefile.Named(a, name)
	return ratchet.Side{Suite: other}, err
}

// Challenge tries the challenger, or opens the final set, and prints what came of it.
func Challenge(ctx context.Context, a *world.World, r ChallengeRequest) (err error) {
	if r.Challenger == "" {
		return problem.Usage("such as --challenger edited", "no candidate is named")
	}
	if r.MaxCost.Known && r.MaxCost.Value == 0 {
		return problem.Usage("omit it for no bound", "%s 0 ends it before its first pair",
			r.Given.Origin("max-cost"))
	}
	s, err := suitefile.Named(a, r.Suite)
	if err != nil {
		return err
	}
	champion, err := ratchetSide(a, s, "--champion", r.Champion)
	if err != nil {
		return err
	}
	challenger, err := ratchetSide(a, s, "--challenger", r.Challenger)
	if err != nil {
		return err
	}
	if champion.Same(challenger) {
		return problem.Usage("name "+otherSide, "the current version and the candidate are the same")
	}
	current, err := ratchet.OpenSession(s, ratchet.Options{Version: a.Version, Now: a.Now})
	if err != nil {
		return ratchetProblem(err)
	}
	defer func() { err = errors.Join(err, current.Close()) }()
	done := session.Of(ctx).Tend()
	defer done()
	if r.Final > 0 {
		return r.openFinal(ctx, a, current, champion, challenger)
	}
	return r.try(ctx, a, current, champion, challenger)
}

// try tries the challenger.
func (r *ChallengeRequest) try(
	ctx context.Context, a *world.World, session *ratchet.Session, champion, challenger ratchet.Side,
) error {
	var to *outfile.File
	var err error
	if r.Output != "" {
		if to, err = deliver.NewSaved(r.Given.Origin("output"), r.Output); err != nil {
			return err
		}
		if err := r.Result.Reports.Open(to.Path); err != nil {
			return err
		}
	} else if err := r.Result.Reports.Open(); err != nil {
		return err
	}
	bounds := ratchet.Bounds{MaxCostUSD: r.MaxCost.Value}
	if g := a.Guest; g != nil {
		bounds.MaxTrials = g.Trials
		bounds.Each = func(trials int, usd float64) {
			if g.Progress != nil {
				g.Progress(runner.Progress{Test: "ratchet", Trials: trials, Spent: journal.Spend{Attempts: trials, CostUSD: usd}})
			}
		}
	}
	result, err := session.Try(ctx, champion, challenger, bounds)
	if err != nil {
		return ratchetProblem(err)
	}
	result.ExitCode = r.Result.Exit(a, result.Verdict, result.Reasons)
	if to != nil {
		if err := a.Deliver(ctx, to, func(w io.Writer) error { return report.JSON(w, result) }); err != nil {
			return err
		}
		a.Notice("note", "the result is in %s", to.Path)
	}
	return r.Result.Conclude(ctx, a, nil, result)
}

// openFinal opens the final set.
func (r *ChallengeRequest) openFinal(
	ctx context.Context, a *world.World, session *ratchet.Session, champion, challenger ratchet.Side,
) error {
	final, err := session.OpenFinal(ctx, champion, challenger, r.Final)
	if err != nil {
		return ratchetProblem(err)
	}
	if r.Result.JSON {
		return report.JSON(a.Out, final)
	}
	_, err = fmt.Fprintf(a.Out,
		"the final set, %s: the current version passes %d of %d, the candidate %d of %d; %d mended, %d broke\n",
		prose.Count(final.Scenarios, "scenario"), final.Champion.Passes, final.Champion.Trials,
		final.Challenger.Passes, final.Challenger.Trials, final.Mended, final.Broke)
	return err
}

// Status says what became of a loop, or of the challengers of a session, so far. The file is a ratchet.yaml, a suite or
// the folder of one; "" is the one here.
func Status(ctx context.Context, a *world.World, file string, result *deliver.Target) error {
	to, err := result.File(ctx, a, []string{cmp.Or(file, ratchet.FileName)})
	if err != nil {
		return err
	}
	options := ratchet.Options{Version: a.Version, Now: a.Now}
	if c, err := ratchet.Load(ctx, cmp.Or(file, ratchet.FileName)); err == nil {
		found, err := ratchet.Status(c, options)
		if err != nil {
			return ratchetProblem(err)
		}
		// What ended it, the journal does not tell.
		saved, err := app.ReadResult(ctx, usualResult(c), nil)
		if run, is := saved.(*improvement.Result); err == nil && is && len(run.Attempts) == len(found.Attempts) {
			found = run
		}
		return result.Deliver(ctx, a, to, found)
	} else if !errors.Is(err, os.ErrNotExist) && !evidence.IsSuite(file) {
		return err
	}
	s, err := suitefile.Named(a, file)
	if err != nil {
		return err
	}
	found, err := ratchet.SessionStatus(ctx, s, options)
	if err != nil {
		return ratchetProblem(err)
	}
	return result.Deliver(ctx, a, to, found)
}
