package watching

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/listen"
	"github.com/tribunal-dev/tribunal/cmd/internal/monitor"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/input"
)

// Request asks to watch trials, or to accept what a stream of them has become.
type Request struct {
	monitor.Options
	Files    []string // of trials, one; - is standard input
	Reading  evidence.ReadOptions
	Scenario ingest.ScenarioRule // the zero rule leaves the scenario to the format
	Pass     ingest.PassRule     // the zero rule judges nothing
	Variant  string              // "" is the only one
	Baseline string              // K/N, a file, or the name of a baseline of the store; "" is none

	Follow  bool          // reads on as the file grows
	OTLP    string        // HOST:PORT where traces are received in place of a file; "" is none
	Listen  string        // HOST:PORT of figures; "" is none
	Token   string        // file of what clients must send; "" is none
	For     time.Duration // after which it ends; 0 goes on until it is interrupted
	Webhook string        // URL that gets each alarm; "" is none
	State   string        // file; "" keeps none
	JSON    bool

	Accept string // stream whose baseline is set anew, and nothing is watched
	Reason string // for that

	Given value.GivenOptions // the options that were given
}

// check refuses what does not go together.
func (r *Request) check() error {
	given := r.Given
	switch {
	case r.Accept != "":
		return r.checkAccept()
	case given.Typed("reason"):
		return problem.Usage("add --accept STREAM", "--reason is for --accept")
	case r.OTLP != "" && len(r.Files) > 0:
		return problem.Usage("omit one of them", "--otlp receives trials, and FILE holds some")
	case r.OTLP == "" && len(r.Files) == 0:
		return problem.Usage("name a file, - for standard input, or --otlp HOST:PORT", "there is nothing to watch")
	case len(r.Files) > 1:
		return problem.Usage("join them with tribunal import first", "monitor watches one file, but there are %d",
			len(r.Files))
	case r.Follow && (r.OTLP != "" || r.Files[0] == "-"):
		return problem.Usage("omit it", "--follow is for a file: what else comes is waited for in any case")
	case r.Follow && input.IsStored(r.Files[0]):
		return problem.Usage("run it again with --state, which continues the runs that came since",
			"--follow is for a file, and %s is in a store", r.Files[0])
	case given.Typed("for") && r.For <= 0:
		return problem.Usage("such as --for 10m", "--for must be above 0")
	case given.Typed("token") && r.OTLP == "" && r.Listen == "":
		return problem.Usage("omit it, or add --otlp or --listen",
			"--token is for those who ask this monitor, and nobody can")
	case r.Baseline == "" && given.Has("detector") && r.Detector != monitor.Conformal:
		return problem.Usage("add --baseline K/N, a file or a name, or omit it", "%s %s needs a baseline",
			given.Origin("detector"), r.Detector)
	case r.Gamma >= 0.5:
		return problem.Usage("such as --gamma 0.05", "--gamma must be below 0.5")
	case given.Typed("drop") && r.Detector != monitor.CUSUM:
		return problem.Usage("omit it, or add --detector cusum", "--drop is for --detector cusum: others find any drop")
	case slices.Contains(r.Watch, monitor.Distance) && (r.Baseline == "" || evidence.IsRatio(r.Baseline)):
		return problem.Usage("add --baseline FILE or a name", "--watch distance needs the traces of a baseline")
	case given.Has("pass-when") && given.Has("pass-score"):
		return problem.Usage("write score>= in the rule, and omit --pass-score",
			"%s and %s both say what passes", given.Origin("pass-when"), given.Origin("pass-score"))
	}
	for _, file := range append([]string{r.Baseline}, r.Files...) {
		if r.State != "" && evidence.SameFile(r.State, file) {
			return problem.Usage("choose another name", "--state %s is a file of trials", r.State)
		}
	}
	return r.checkAddresses()
}

// checkAddresses refuses addresses that cannot be served, or asked.
func (r *Request) checkAddresses() error {
	for _, at := range []struct{ flag, address string }{{"--otlp", r.OTLP}, {"--listen", r.Listen}} {
		if at.address == "" {
			continue
		}
		remote, err := listen.Address(at.flag, at.address)
		if err == nil && remote && r.Token == "" {
			err = problem.Usage("listen on 127.0.0.1, or name a file with a token by --token",
				"%s %q is reached by other machines, and there is no --token", at.flag, at.address)
		}
		if err != nil {
			return err
		}
	}
	if r.Webhook == "" {
		return nil
	}
	if at, err := url.Parse(r.Webhook); err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
		return problem.Usage("such as --webhook https://example.org/alarms", "--webhook is no address of HTTP")
	}
	return nil
}

// checkAccept refuses what has no meaning where a baseline is accepted.
func (r *Request) checkAccept() error {
	switch {
	case r.State == "":
		return problem.Usage("add --state FILE", "--accept needs the state of a monitor")
	case strings.TrimSpace(r.Reason) == "":
		return problem.Usage("such as --reason \"harder questions since May\"", "--accept needs a --reason")
	case r.Baseline != "" && !evidence.IsRatio(r.Baseline):
		return problem.Usage("give K/N, or omit it for the trials since the alarm",
			"--accept takes no file or name for the baseline")
	case len(r.Files) > 0 || r.Given.Typed("otlp") || r.Given.Typed("follow"):
		return problem.Usage("run it again without --accept", "--accept watches nothing")
	}
	return nil
}

// Watch reads the baseline and the state before it opens what it watches. It ends with a verdict.
func Watch(ctx context.Context, a *world.World, r Request) error {
	if err := r.check(); err != nil {
		return err
	}
	if r.Accept != "" {
		return r.accept(ctx, a)
	}
	if r.Baseline == "" {
		r.Detector = monitor.Conformal
	}
	if err := r.Reading.Pricing.Load(nil); err != nil {
		return err
	}
	b, err := r.readBaseline(ctx, a)
	if err != nil {
		return err
	}
	w := &watch{Request: r, app: a, reading: r.reading()}
	if w.token, err = listen.ReadToken(ctx, r.Token); err != nil {
		return err
	}
	unlock, err := w.openState(ctx, b)
	if err != nil {
		return err
	}
	defer unlock()
	// What was taken in is saved, and a verdict printed, after a signal.
	defer session.Of(ctx).Tend()()
	if err := w.run(ctx); err != nil {
		return err
	}
	return w.conclude(ctx)
}

// reading says how trials are read. What nobody judged is watched for its numbers.
func (r *Request) reading() ingest.Options {
	o := r.Reading.Options(r.Variant, 0)
	o.Unjudged, o.Numbered, o.Scenario, o.Pass = true, true, r.Scenario, r.Pass
	return o
}
