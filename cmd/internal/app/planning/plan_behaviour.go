package planning

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	verdictplan "github.com/tribunal-dev/tribunal/verdict/plan"
)

// Behaviour asks how many trials show a shift of behaviour.
type Behaviour struct {
	Traces   string // recorded trials of one system; "" does not ask
	Shifts   ColumnShifts
	Distance float64 // in place of Shifts
	Test     fingerprint.Test
	Power    trial.Optional[float64] // in place of beta
	MaxCost  trial.Optional[float64] // USD
}

// ColumnShifts are shifts of columns, in the order in which they were given.
type ColumnShifts []verdictplan.ColumnShift

// Set adds a shift such as "output_tokens=0.5sd". The flag may be given several times.
func (c *ColumnShifts) Set(text string) error {
	column, by, ok := strings.Cut(strings.TrimSpace(text), "=")
	number, unit := strings.CutSuffix(by, "sd")
	if !ok || !unit || column == "" {
		return &value.Refusal{Problem: "must be a column and its shift in standard deviations",
			Hint: "such as output_tokens=0.5sd"}
	}
	x, err := value.ParseNumber(strings.TrimSpace(number), "a shift of at most 10 standard deviations, and not of 0",
		func(x float64) bool { return x != 0 && math.Abs(x) <= 10 })
	if err != nil {
		return err
	}
	if slices.ContainsFunc(*c, func(s verdictplan.ColumnShift) bool { return s.Column == column }) {
		return &value.Refusal{Problem: "names " + column + " twice", Hint: "omit one of them"}
	}
	*c = append(*c, verdictplan.ColumnShift{Column: column, SD: x})
	return nil
}

// String is what Set reads, of the last one.
func (c *ColumnShifts) String() string {
	var parts []string
	for _, s := range *c {
		parts = append(parts, s.Column+"="+strconv.FormatFloat(s.SD, 'g', -1, 64)+"sd")
	}
	return strings.Join(parts, ",")
}

// Type names the kind of value.
func (c *ColumnShifts) Type() string { return "COLUMN=SD" }

// behaviourOptions are those that are for --behaviour alone.
var behaviourOptions = []string{"shift", "distance", "power", "behaviour-test", "max-cost"}

// checkBehaviour refuses what has no meaning for the question.
func (r *PlanRequest) checkBehaviour() error {
	if len(r.Args) > 0 {
		return problem.Usage("put quotation marks around a pattern", "plan takes no argument, but there is %q", r.Args[0])
	}
	for _, name := range []string{"threshold", "side-by-side", "baseline", "baseline-scenario", "method", "gamma", "guard",
		"sides", "baseline-trials", "candidates", "max-trials", "design", "prior", "prior-mode", "group", "looks", "seconds",
		"chart", "compare"} {
		if r.Given.Typed(name) {
			return problem.Usage("omit it", "--%s does not go with --behaviour", name)
		}
	}
	b := &r.Behaviour
	switch {
	case len(b.Shifts) == 0 && b.Distance == 0:
		return problem.Usage("such as --shift output_tokens=0.5sd; tribunal compare fingerprint prints the columns",
			"--behaviour needs a shift that is to be found")
	case len(b.Shifts) > 0 && b.Distance != 0:
		return problem.Usage("omit one of them", "--shift and --distance both say what is to be found")
	case r.Given.Typed("power") && r.Given.Typed("beta"):
		return problem.Usage("omit one of them", "--power is one less --beta")
	}
	return nil
}

// planBehaviour says how many trials show a shift of behaviour.
func (r *PlanRequest) planBehaviour(ctx context.Context, a *world.World) error {
	if err := r.checkBehaviour(); err != nil {
		return err
	}
	to, err := r.Result.File(ctx, a, []string{r.Behaviour.Traces})
	if err != nil {
		return err
	}
	o := verdictplan.BehaviourOptions{
		Test: r.Behaviour.Test, Alpha: r.Alpha, Beta: r.Design.Beta, Delta: r.Design.Delta,
		Shift: r.Behaviour.Shifts, Distance: r.Behaviour.Distance,
		Seed: verdictplan.BehaviourSeed,
	}
	if r.Behaviour.Power.Known {
		o.Beta = 1 - r.Behaviour.Power.Value
	}
	if r.Behaviour.MaxCost.Known {
		o.MaxCostUSD = &r.Behaviour.MaxCost.Value
	}
	o.PriceUSD, _ = r.prices()
	sample, err := r.readTraces(ctx, a)
	if err != nil {
		return err
	}
	plan, err := verdictplan.TestOfBehaviour(ctx, sample, o)
	if err != nil {
		return behaviourPlanError(err)
	}
	return r.Result.DeliverWith(ctx, a, to, plan, r.Result.TextOptions(a, to))
}

// readTraces reads the recorded trials.
func (r *PlanRequest) readTraces(ctx context.Context, a *world.World) (*fingerprint.Sample, error) {
	var sample fingerprint.Sample
	o := r.Reading.Options(r.Variant, trial.BasicFields|trial.TimeField|trial.StepFields|trial.ContentFields)
	o.Unjudged = true
	if err := evidence.Read(ctx, a, []string{r.Behaviour.Traces}, o, evidence.Kept, sample.Add); err != nil {
		return nil, evidence.Naming("variant", err)
	}
	if lost := sample.Errors(); lost > 0 {
		a.Notice("warning", "%s: trials that ended in an error are left out, %d of %d",
			prose.FileName(r.Behaviour.Traces), lost, lost+sample.Len())
	}
	return &sample, nil
}

// behaviourPlanError puts a hint to what cannot be planned.
func behaviourPlanError(err error) error {
	if errors.Is(err, fingerprint.ErrTooFewTrials) {
		return problem.BadInput(err.Error(), "record more trials of each scenario")
	}
	if e, ok := errors.AsType[*stats.ArgumentError](err); ok {
		return problem.Usage("tribunal compare fingerprint prints the columns of recorded trials", "%s", e)
	}
	if e, ok := errors.AsType[*verdict.OptionError](err); ok {
		return problem.Usage("say it with --price", "%s", e)
	}
	return err
}
