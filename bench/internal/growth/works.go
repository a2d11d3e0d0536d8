package growth

import (
	"context"
	"fmt"
	"os"
)

// work is an operation of several sizes.
type work struct {
	name    string
	against string // what a size counts
	sizes   func(Options) []int
	// prepare makes an operation of a size; that is not measured. What it returns can be done again and again.
	prepare func(ctx context.Context, in *inputs, size int) (func(context.Context) error, error)
}

// upTo are sizes in steps of ten from the first up to those of the short, the usual and the long form.
func upTo(first, short, usual, long int) func(Options) []int {
	return func(o Options) (sizes []int) {
		last := usual
		switch {
		case o.Short:
			// Constants weigh in small sizes, and seconds are few.
			last, first = short, max(first/10, 10)
		case o.Long:
			last = long
		}
		for size := first; size <= last; size *= 10 {
			sizes = append(sizes, size)
		}
		return sizes
	}
}

// works are all operations, in the order of the table.
func works() []work {
	list := trialWorks()
	list = append(list, scenarioWorks()...)
	list = append(list, suiteWorks()...)
	list = append(list, runWorks()...)
	return append(list, workerWorks()...)
}

// trialWorks grow with the trials of fifty scenarios.
func trialWorks() []work {
	input := func(n, failing int) recording {
		return recording{trials: n, scenarios: scenariosOfTrials, failing: failing}
	}
	return []work{
		{"verdict", "trials", upTo(10_000, 10_000, 1_000_000, 10_000_000),
			func(_ context.Context, _ *inputs, n int) (func(context.Context) error, error) {
				return func(ctx context.Context) error {
					return command(ctx, input(n, 10).reader(), "verdict", "-", "--threshold", "0.85")
				}, nil
			}},
		{"compare", "trials", upTo(1000, 1000, 100_000, 10_000_000), comparing("compare", input)},
		{"add to a store", "trials", upTo(1000, 1000, 100_000, 1_000_000),
			func(_ context.Context, in *inputs, n int) (func(context.Context) error, error) {
				file, err := input(n, 10).file(in)
				return func(ctx context.Context) error {
					return command(ctx, nil, "import", file, "--store", in.name(".db"), "--output", os.DevNull)
				}, err
			}},
		{"read of a store", "trials", upTo(1000, 1000, 100_000, 1_000_000),
			func(ctx context.Context, in *inputs, n int) (func(context.Context) error, error) {
				file, err := input(n, 10).file(in)
				if err != nil {
					return nil, err
				}
				store := in.name(".db")
				err = command(ctx, nil, "import", file, "--store", store, "--output", os.DevNull)
				return func(ctx context.Context) error {
					return command(ctx, nil, "verdict", "store:last=1", "--store", store, "--threshold", "0.85")
				}, err
			}},
		{"fingerprint", "traces", upTo(1000, 1000, 10_000, 100_000), comparing("fingerprint", func(n, failing int) recording {
			return recording{trials: n, scenarios: scenariosOfTrials, failing: failing, traces: true}
		})},
	}
}

// comparing is a command over two recordings.
func comparing(name string, input func(n, failing int) recording,
) func(context.Context, *inputs, int) (func(context.Context) error, error) {
	return func(_ context.Context, in *inputs, n int) (func(context.Context) error, error) {
		baseline, err := input(n, 10).file(in)
		if err != nil {
			return nil, err
		}
		candidate, err := input(n, 9).file(in)
		return func(ctx context.Context) error { return command(ctx, nil, name, baseline, candidate) }, err
	}
}

// trialsEach is how many trials a scenario has where scenarios are counted.
const trialsEach = 10

// scenarioWorks grow with the scenarios, of ten trials each.
func scenarioWorks() []work {
	input := func(n, failing int) recording { return recording{n * trialsEach, n, failing, false} }
	sizes := upTo(10, 1000, 10_000, 100_000)
	judged := func(ctx context.Context, in *inputs, n int) (result string, err error) {
		file, err := input(n, 10).file(in)
		if err != nil {
			return "", err
		}
		result = in.name(".json")
		return result, command(ctx, nil, "verdict", file, "--threshold", "0.6", "--by", "scenario", "--json", "--output",
			result)
	}
	reading := func(args ...string) func(context.Context, *inputs, int) (func(context.Context) error, error) {
		return func(ctx context.Context, in *inputs, n int) (func(context.Context) error, error) {
			result, err := judged(ctx, in, n)
			return func(ctx context.Context) error {
				return command(ctx, nil, append([]string{args[0], result}, args[1:]...)...)
			}, err
		}
	}
	list := []work{
		{"verdict", "scenarios", sizes, func(_ context.Context, in *inputs, n int) (func(context.Context) error, error) {
			file, err := input(n, 10).file(in)
			return func(ctx context.Context) error { return command(ctx, nil, "verdict", file, "--threshold", "0.6") }, err
		}},
		{"verdict by each", "scenarios", sizes,
			func(_ context.Context, in *inputs, n int) (func(context.Context) error, error) {
				file, err := input(n, 10).file(in)
				return func(ctx context.Context) error {
					return command(ctx, nil, "verdict", file, "--threshold", "0.6", "--by", "scenario")
				}, err
			}},
		{"verify", "scenarios", sizes, reading("verify")},
	}
	for _, format := range []string{"text", "html", "markdown", "junit"} {
		list = append(list, work{"report " + format, "scenarios", sizes, reading("report", "--format", format)})
	}
	return append(list, work{"compare", "scenarios", upTo(10, 100, 1000, 100_000), comparing("compare", input)})
}

// suiteWorks grow with the scenarios of a suite, of which there are 10,000 at most.
func suiteWorks() []work {
	sizes := upTo(10, 1000, 10_000, 10_000)
	return []work{
		{"check", "scenarios", sizes, func(_ context.Context, in *inputs, n int) (func(context.Context) error, error) {
			file, err := suiteOf(in, 1, "echo, pass", n, 1)
			return func(ctx context.Context) error { return command(ctx, nil, "check", file) }, err
		}},
		{"run function", "scenarios", sizes,
			func(_ context.Context, in *inputs, n int) (func(context.Context) error, error) {
				return running(in, agentWaiting(0), 2, n, trialsOfProgram)
			}},
	}
}

// runWorks grow with the runs of a store, of twenty trials each.
func runWorks() []work {
	return []work{{"history", "runs", upTo(10, 100, 100, 1000),
		func(ctx context.Context, in *inputs, n int) (func(context.Context) error, error) {
			store := in.name(".db")
			for i := range n {
				file, err := recording{trials: 20, scenarios: 4, failing: 5 + i%4}.file(in)
				if err != nil {
					return nil, err
				}
				at := fmt.Sprintf("20%02d-%02d-%02d", i/336%100, i/28%12+1, i%28+1)
				err = command(ctx, nil, "import", file, "--store", store, "--suite", "shop", "--at", at, "--output", os.DevNull)
				if err != nil {
					return nil, err
				}
			}
			return func(ctx context.Context) error { return command(ctx, nil, "history", "shop", "--store", store) }, nil
		}}}
}
