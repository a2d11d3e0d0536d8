package monitorcmd

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/listen"
	"github.com/tribunal-dev/tribunal/cmd/internal/monitor"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/stats/change"
)

// monitorFlags are those of the command monitor.
type monitorFlags struct {
	evidence evidence.Reading
	scenario value.Rule[ingest.ScenarioRule]
	pass     value.Rule[ingest.PassRule]
	variant  string // "" is the only one

	baseline  string // K/N, a file, or the name of a baseline of the store; "" is none
	detector  value.Word[monitor.Detector]
	runLength value.Count
	gamma     value.Level
	drop      value.Level
	watch     measures
	by        streamsBy
	seed      value.Seed

	follow  bool
	otlp    string // HOST:PORT; "" is none
	listen  string // likewise
	token   string // file
	length  time.Duration
	webhook string
	state   string // file; "" keeps none
	accept  string // stream
	reason  string
	json    bool
}

// MonitorCommand watches what does not end, where the other judging commands judge what has.
func MonitorCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "monitor [FILE|-] [--baseline K/N|FILE|NAME]",
		Short: "watch trials as they come, and raise an alarm when something changed",
		Long: `Watch trials as they come, and raise an alarm when something changed. There is a detector
for the pass rate of each scenario, and one for each number of --watch. While nothing
changes a false alarm comes once in --run-length trials of a stream on average, at most.

The exit code is 0 if all is quiet, 1 if a stream is in alarm, and 2 if none has 30 trials
yet. FILE is anything that tribunal import reads, store:QUERY the trials of a store, and -
standard input. --follow goes on reading a file as it grows, and --otlp receives traces
from OpenTelemetry exporters: both go on until SIGINT, SIGTERM or the end of --for.

--detector says how pass rates are watched:
  sr         for any drop below the baseline (Shiryaev-Roberts e-detector)
  cusum      for the drop of --drop below the baseline, with an exact run length
  conformal  against the trials before, without a baseline
Of a recorded baseline the lower confidence limit of its rate is taken. Without one the
detector is conformal, as it always is for numbers.

A stream in alarm stays so, over restarts with --state, until somebody accepts what it has
become: tribunal monitor --state FILE --accept STREAM --reason TEXT.

Other machines reach --otlp and --listen only with a token: the first line of the file
(or pipe) that --token or TRIBUNAL_TOKEN names, which they send behind Bearer.`,
		Example: `  tribunal monitor trials.jsonl --baseline main.jsonl
  tribunal monitor production.jsonl --baseline 186/200 --follow --state monitor.json
  tribunal monitor store:branch=nightly --baseline main --store runs.db
  tribunal monitor --otlp 127.0.0.1:4318 --pass-when no-error --watch cost,turns --state monitor.json
  tribunal monitor --state monitor.json --accept refund --reason "harder questions since May"`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f monitorFlags
	f.register(command.Flags())
	command.RunE = base.Judging(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// register sets the order of the help: what is watched and how, where it comes from, where alarms go.
func (f *monitorFlags) register(flags *pflag.FlagSet) {
	f.detector = value.Word[monitor.Detector]{Kind: "DETECTOR",
		Words: []monitor.Detector{monitor.ShiryaevRoberts, monitor.CUSUM, monitor.Conformal}}
	f.runLength = value.Count{Value: change.DefaultRunLength, Least: 2, Most: 1_000_000_000}
	f.gamma, f.drop, f.seed = 0.05, 0.1, 1
	f.scenario = value.Rule[ingest.ScenarioRule]{Kind: "RULE", Parse: ingest.ParseScenarioRule}
	f.pass = value.Rule[ingest.PassRule]{Kind: "RULE", Parse: ingest.ParsePassRule}
	flags.StringVar(&f.baseline, "baseline", "", "what passed before: `K/N`, of each stream, a file of trials, or the "+
		"name of a baseline of the store")
	flags.Var(&f.detector, "detector", f.detector.Usage("how pass rates are watched"))
	flags.Var(&f.runLength, "run-length", "trials of a stream to a false alarm, on average and at least")
	flags.Var(&f.gamma, "gamma", "chance that the baseline was so lucky that false alarms come sooner")
	flags.Var(&f.drop, "drop", "drop of the pass rate that --detector cusum looks for")
	flags.Var(&f.watch, "watch", "watch these numbers for a rise, too: cost, turns, steps, duration, distance (of the "+
		"fingerprint from the baseline's)")
	flags.Var(&f.by, "by", "a stream for each scenario, one for the suite, or tag:NAME for each value of a tag")
	flags.Var(&f.seed, "seed", "seed of the order of equal numbers")
	flags.BoolVar(&f.follow, "follow", false, "go on reading FILE as it grows")
	flags.StringVar(&f.otlp, "otlp", "", "receive traces by OTLP/HTTP at `HOST:PORT`, such as 127.0.0.1:4318")
	flags.StringVar(&f.listen, "listen", "", "serve figures for Prometheus at `HOST:PORT`, under /metrics")
	flags.StringVar(&f.token, "token", "", "`FILE` whose first line clients must send, behind Bearer; needed where other "+
		"machines reach an address")
	flags.DurationVar(&f.length, "for", 0, "end after this `DURATION`, such as 10m (default when it is interrupted)")
	flags.StringVar(&f.webhook, "webhook", "", "post each alarm as JSON to this `URL`")
	flags.StringVar(&f.state, "state", "", "keep what is known in `FILE`, and go on from there")
	flags.StringVar(&f.accept, "accept", "", "take what this `STREAM` has become for its new baseline, and watch nothing")
	flags.StringVar(&f.reason, "reason", "", "why, for --accept; it is kept with who and when")
	flags.BoolVar(&f.json, "json", false, "print a line of JSON for each alarm, and one at the end")
	flags.StringVar(&f.variant, "variant", "", "watch the trials of this `VARIANT`")
	flags.Var(&f.scenario, "scenario-from", "where the scenario of a trial is found, as for tribunal import")
	flags.Var(&f.pass, "pass-when", "when a trial passes whose log does not tell, as for tribunal import")
	bind.Reading(flags, &f.evidence)
	bind.Prices(flags, &f.evidence.Pricing)
}

// check refuses flags that do not go together.
func (f *monitorFlags) check(flags *pflag.FlagSet, args []string) error {
	given := func(name string) bool { return flags.Changed(name) && base.Origin(flags, name) == "--"+name }
	switch {
	case f.accept != "":
		return f.checkAccept(args, given)
	case given("reason"):
		return problem.Usage("add --accept STREAM", "--reason is for --accept")
	case f.otlp != "" && len(args) > 0:
		return problem.Usage("leave one of them out", "--otlp receives trials, and FILE holds some")
	case f.otlp == "" && len(args) == 0:
		return problem.Usage("name a file, - for standard input, or --otlp HOST:PORT", "there is nothing to watch")
	case len(args) > 1:
		return problem.Usage("join them with tribunal import first", "monitor watches one file, but there are %d", len(args))
	case f.follow && (f.otlp != "" || args[0] == "-"):
		return problem.Usage("leave it out", "--follow is for a file: what else comes is waited for in any case")
	case f.follow && input.IsStored(args[0]):
		return problem.Usage("run it again with --state, which goes on with the runs that came since",
			"--follow is for a file, and %s is in a store", args[0])
	case given("for") && f.length <= 0:
		return problem.Usage("such as --for 10m", "--for must be above 0")
	case given("token") && f.otlp == "" && f.listen == "":
		return problem.Usage("leave it out, or add --otlp or --listen",
			"--token is for those who ask this monitor, and nobody can")
	case f.baseline == "" && flags.Changed("detector") && f.detector.Value != monitor.Conformal:
		return problem.Usage("add --baseline K/N, a file or a name, or leave it out", "%s %s needs a baseline",
			base.Origin(flags, "detector"),
			f.detector.Value)
	case float64(f.gamma) >= 0.5:
		return problem.Usage("such as --gamma 0.05", "--gamma must be below 0.5")
	case given("drop") && f.detector.Value != monitor.CUSUM:
		return problem.Usage("leave it out, or add --detector cusum", "--drop is for --detector cusum: others find any drop")
	case f.watch.has(monitor.Distance) && (f.baseline == "" || evidence.IsRatio(f.baseline)):
		return problem.Usage("add --baseline FILE or a name", "--watch distance needs the traces of a baseline")
	case flags.Changed("pass-when") && flags.Changed("pass-score"):
		return problem.Usage("write score>= in the rule, and leave --pass-score out",
			"%s and %s both say what passes", base.Origin(flags, "pass-when"), base.Origin(flags, "pass-score"))
	}
	for _, file := range append([]string{f.baseline}, args...) {
		if f.state != "" && evidence.SameFile(f.state, file) {
			return problem.Usage("choose another name", "--state %s is a file of trials", f.state)
		}
	}
	return f.checkAddresses()
}

// checkAddresses refuses addresses that cannot be served, or asked.
func (f *monitorFlags) checkAddresses() error {
	for _, at := range []struct{ flag, address string }{{"--otlp", f.otlp}, {"--listen", f.listen}} {
		if at.address == "" {
			continue
		}
		remote, err := listen.Address(at.flag, at.address)
		if err == nil && remote && f.token == "" {
			err = problem.Usage("listen on 127.0.0.1, or name a file with a token by --token",
				"%s %q is reached by other machines, and there is no --token", at.flag, at.address)
		}
		if err != nil {
			return err
		}
	}
	if f.webhook == "" {
		return nil
	}
	if at, err := url.Parse(f.webhook); err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
		return problem.Usage("such as --webhook https://example.org/alarms", "--webhook is no address of HTTP")
	}
	return nil
}

// checkAccept refuses what has no meaning where a baseline is accepted.
func (f *monitorFlags) checkAccept(args []string, given func(string) bool) error {
	switch {
	case f.state == "":
		return problem.Usage("add --state FILE", "--accept needs the state of a monitor")
	case strings.TrimSpace(f.reason) == "":
		return problem.Usage("such as --reason \"harder questions since May\"", "--accept needs a --reason")
	case f.baseline != "" && !evidence.IsRatio(f.baseline):
		return problem.Usage("give K/N, or leave it out for the trials since the alarm",
			"--accept takes no file or name for the baseline")
	case len(args) > 0 || given("otlp") || given("follow"):
		return problem.Usage("run it again without --accept", "--accept watches nothing")
	}
	return nil
}

// execute reads the baseline and the state before it opens what it watches.
func (f *monitorFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	if err := f.check(flags, args); err != nil {
		return err
	}
	if f.accept != "" {
		return f.acceptStream(ctx, a, flags)
	}
	if err := f.evidence.Pricing.Load(nil); err != nil {
		return err
	}
	o := f.monitorOptions()
	b, err := f.readBaseline(ctx, a, flags, o)
	if err != nil {
		return err
	}
	w := &watch{app: a, flags: f, options: f.readOptions(flags)}
	if w.token, err = listen.ReadToken(ctx, f.token); err != nil {
		return err
	}
	unlock, err := w.openState(ctx, o, b)
	if err != nil {
		return err
	}
	defer unlock()
	// What was taken in is saved, and a verdict printed, after a signal.
	defer session.Of(ctx).Tend()()
	if err := w.run(ctx, args); err != nil {
		return err
	}
	return w.conclude(ctx)
}

// monitorOptions translates the flags.
func (f *monitorFlags) monitorOptions() monitor.Options {
	o := monitor.Options{
		Detector: f.detector.Value, RunLength: float64(f.runLength.Value), Gamma: float64(f.gamma), Drop: float64(f.drop),
		Watch: f.watch.list, By: string(f.by), Seed: uint64(f.seed),
	}
	if f.baseline == "" {
		o.Detector = monitor.Conformal
	}
	return o
}

// readOptions say how trials are read. What nobody judged is watched for its numbers.
func (f *monitorFlags) readOptions(flags *pflag.FlagSet) ingest.Options {
	o := f.evidence.Options(f.variant, 0)
	o.Unjudged, o.Numbered, o.Scenario, o.Pass = true, true, f.scenario.Value, f.pass.Value
	return o
}

// measures is a list of what is watched besides the pass rate.
type measures struct{ list []monitor.Measure }

// watchable are those that a list may name.
var watchable = []monitor.Measure{monitor.Cost, monitor.Turns, monitor.Steps, monitor.Duration, monitor.Distance}

// Set adds the words of a list. The flag may be given several times.
func (m *measures) Set(text string) error {
	for name := range strings.SplitSeq(text, ",") {
		one := value.Word[monitor.Measure]{Words: watchable}
		if err := one.Set(strings.TrimSpace(name)); err != nil {
			return err
		}
		m.list = append(m.list, one.Value)
	}
	return nil
}

func (m *measures) String() string {
	names := make([]string, len(m.list))
	for i, x := range m.list {
		names[i] = x.String()
	}
	return strings.Join(names, ",")
}

func (m *measures) Type() string { return "LIST" }

func (m *measures) has(x monitor.Measure) bool {
	for _, other := range m.list {
		if other == x {
			return true
		}
	}
	return false
}

// streamsBy says what has a stream of its own; "" is each scenario.
type streamsBy string

// Set reads scenario, suite or tag:NAME.
func (s *streamsBy) Set(text string) error {
	switch name, isTag := strings.CutPrefix(text, "tag:"); {
	case text == "scenario":
		*s = ""
	case text == "suite" || isTag && name != "":
		*s = streamsBy(text)
	default:
		return errors.New("must be scenario, suite or tag:NAME")
	}
	return nil
}

func (s *streamsBy) String() string {
	if *s == "" {
		return "scenario"
	}
	return string(*s)
}

func (s *streamsBy) Type() string { return "STREAMS" }

// whole writes a number with thousands apart, to a whole number.
func whole(x float64) string {
	digits := strconv.FormatFloat(x, 'f', 0, 64)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}
