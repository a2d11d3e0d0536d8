package monitorcmd

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/watching"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/monitor"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/stats/change"
)

// MonitorCommand watches what does not end, where the other judging commands judge what has.
func MonitorCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "monitor [FILE|-] [--baseline K/N|FILE|NAME]",
		Short: "watch trials as they come, and raise an alarm at a change",
		Long: `Watch trials as they come, and raise an alarm when something changed. There is a detector
for the pass rate of each scenario, and one for each number of --watch. While nothing
changes a false alarm comes once in --run-length trials of a stream on average, at most.

The exit code is 0 without an alarm, 1 if a stream is in alarm, and 2 if none has 30 trials
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
	r := watching.Request{Options: monitor.Options{Gamma: 0.05, Drop: 0.1, Seed: 1}}
	runLength := change.DefaultRunLength
	flags := command.Flags()
	// The order is that of the help: what is watched and how, where it comes from, where alarms go.
	o := option.Of(flags)
	o.Text("baseline", &r.Baseline)
	option.Bind(o, "detector", &r.Detector,
		option.Word("DETECTOR", "", monitor.ShiryaevRoberts, monitor.CUSUM, monitor.Conformal))
	option.Bind(o, "run-length", &runLength, option.Count(2, 1_000_000_000))
	option.Bind(o, "gamma", &r.Gamma, option.Level)
	option.Bind(o, "drop", &r.Drop, option.Level)
	o.Value("watch", measures{&r.Watch})
	option.Bind(o, "by", &r.By, streams)
	option.Bind(o, "seed", &r.Seed, option.Seed)
	o.Switch("follow", &r.Follow)
	o.Text("otlp", &r.OTLP)
	o.Text("listen", &r.Listen)
	o.Text("token", &r.Token)
	o.Duration("for", &r.For)
	o.Text("webhook", &r.Webhook)
	o.Text("state", &r.State)
	o.Text("accept", &r.Accept)
	o.Text("reason", &r.Reason)
	o.Switch("json", &r.JSON)
	o.Text("variant", &r.Variant)
	option.Bind(o, "scenario-from", &r.Scenario, option.Rule("RULE", ingest.ParseScenarioRule))
	option.Bind(o, "pass-when", &r.Pass, option.Rule("RULE", ingest.ParsePassRule))
	bind.Reading(flags, &r.Reading)
	bind.Prices(flags, &r.Reading.Pricing)
	command.RunE = base.Judging(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		r.Files, r.RunLength, r.Given = args, float64(runLength), base.GivenOf(flags)
		return watching.Watch(ctx, a, r)
	})
	return command
}

// measures is a list of what is watched besides the pass rate.
type measures struct{ list *[]monitor.Measure }

// watchable are those that a list may name.
var watchable = option.Word("", "", monitor.Cost, monitor.Turns, monitor.Steps, monitor.Duration, monitor.Distance)

// Set adds the words of a list. The flag may be given several times.
func (m measures) Set(text string) error {
	for name := range strings.SplitSeq(text, ",") {
		one, err := watchable.Parse(strings.TrimSpace(name))
		if err != nil {
			return err
		}
		*m.list = append(*m.list, one)
	}
	return nil
}

func (m measures) String() string {
	if m.list == nil { // the zero value, which pflag asks as well
		return ""
	}
	names := make([]string, len(*m.list))
	for i, x := range *m.list {
		names[i] = x.String()
	}
	return strings.Join(names, ",")
}

func (m measures) Type() string { return "LIST" }

// streams says what has a stream of its own; "" is each scenario.
var streams = option.Type[string]{
	Unit: "STREAMS",
	Text: func(by string) string { return cmp.Or(by, "scenario") },
	Parse: func(text string) (string, error) {
		switch name, isTag := strings.CutPrefix(text, "tag:"); {
		case text == "scenario":
			return "", nil
		case text == "suite" || isTag && name != "":
			return text, nil
		}
		return "", errors.New("must be scenario, suite or tag:NAME")
	},
}
