package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// recordings reads what a design is made from.
type recordings struct {
	run      *run
	flags    *pflag.FlagSet
	evidence *evidenceFlags
	variant  string
}

var ratioPattern = regexp.MustCompile(`^\s*\d+\s*/\s*\d+\s*$`)

// isRatio reports whether a text is K/N and not the name of a file.
func isRatio(text string) bool { return ratioPattern.MatchString(text) }

// counts returns passes and trials of K/N or of a recording, which a flag names.
// Trials that ended in an error are left out, with a word.
func (s recordings) counts(ctx context.Context, flag, source string) (stats.Counts, error) {
	if isRatio(source) {
		var k ratio
		if err := k.Set(source); err != nil {
			return stats.Counts{}, badValue(origin(s.flags, flag), s.flags.Lookup(flag), source, err)
		}
		return stats.Counts(k), nil
	}
	var tallies verdict.Tallies
	err := s.run.read(ctx, []string{source}, s.evidence.options(s.flags, s.variant, trial.BasicFields), tallies.Add)
	if err != nil {
		return stats.Counts{}, naming("variant", err)
	}
	var c stats.Counts
	errorsIn := 0
	for _, t := range tallies.List() {
		c.Passes += t.Passes
		c.Trials += t.Passes + t.Fails
		errorsIn += t.Errors
	}
	name := trial.DisplayName(source)
	if c.Trials == 0 {
		return c, &inputError{fmt.Sprintf("%s holds no trial that passed or failed", name), "run the trials again"}
	}
	if errorsIn > 0 {
		notice(s.run.stderr, "warning", "%s: %d trials that ended in an error are left out", name, errorsIn)
	}
	return c, nil
}

// files returns where the result and the drawing go. Neither may be the other or
// an input.
func (f *planFlags) files(flags *pflag.FlagSet) (to, drawing *outputFile, err error) {
	var inputs []string
	if f.againstBaseline(flags) && !isRatio(f.baseline) {
		inputs = append(inputs, f.baseline)
	}
	if p := f.design.prior; p != stablePrior && p != worstPrior && !strings.HasPrefix(p, betaPrior) && !isRatio(p) {
		inputs = append(inputs, p)
	}
	if err := checkNames(inputs, true); err != nil {
		return nil, nil, err
	}
	if to, err = f.result.file(inputs); err != nil || f.chart == "" || f.chart == "-" {
		return to, nil, err
	}
	chart := origin(flags, "chart")
	if !strings.EqualFold(filepath.Ext(f.chart), ".svg") {
		return nil, nil, usage("such as plan.svg", "%s %q: the drawing is SVG, and its name must end in .svg", chart, f.chart)
	}
	drawn := resultFlags{output: f.chart}
	if drawing, err = drawn.file(inputs); err != nil {
		if e, ok := errors.AsType[*usageError](err); ok { // which speaks of the other flag
			return nil, nil, usage(e.hint, "%s", strings.Replace(e.problem, "--output", chart, 1))
		}
		return nil, nil, err
	}
	if to != nil && to.path == drawing.path {
		return nil, nil, usage("choose another name", "%s and --output name the same file", chart)
	}
	return to, drawing, nil
}

// priorMode says what a recorded prior does.
type priorMode uint8

const (
	honestPrior       priorMode = iota // it shapes where the test stops
	densityRatioPrior                  // it counts as evidence, as AgentAssay has it
)

func (m priorMode) String() string {
	if m == densityRatioPrior {
		return "density-ratio"
	}
	return "honest"
}

// belowOne is a threshold: a level with a word on why it is not 1.
type belowOne float64

func (b *belowOne) Set(text string) error {
	if x, err := strconv.ParseFloat(text, 64); err == nil && x == 1 {
		return &refusal{"cannot be tested: no number of passes shows that a system never fails", "the nearest is a threshold such as 0.999; 0.95 takes far fewer trials"}
	}
	return (*level)(b).Set(text)
}

func (b *belowOne) String() string { return (*level)(b).String() }
func (b *belowOne) Type() string   { return "P" }

// amount is a number that is not negative.
type amount float64

func (a *amount) Set(text string) error {
	var x finite
	if err := x.Set(text); err != nil || x < 0 || x > 1e12 {
		return errors.New("must be a number that is not negative")
	}
	*a = amount(x)
	return nil
}

func (a *amount) String() string { return strconv.FormatFloat(float64(*a), 'g', -1, 64) }
func (a *amount) Type() string   { return "X" }

func (a amount) pointer() *float64 {
	x := float64(a)
	return &x
}

// designing tells on stderr how far a design is, from its second second on.
type designing struct {
	*progress
	most float64
}

func (r *run) newDesigning() *designing {
	d := &designing{progress: r.newProgress()}
	d.next = d.next.Add(time.Second - progressDelay)
	return d
}

// share notes the share of the work that is done. A search that starts again does
// not go back.
func (d *designing) share(x float64) {
	d.most = max(d.most, x)
	if d.interval == 0 {
		return
	}
	if now := d.now(); !now.Before(d.next) {
		d.next = now.Add(d.interval)
		d.say(fmt.Sprintf("designing: %.0f %%", 100*d.most))
	}
}
