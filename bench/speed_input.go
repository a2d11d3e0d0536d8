package bench

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// trialLines is a recording that is written while it is read: trials in lines of about
// 120 bytes, of fifty scenarios, of which one in ten fails.
type trialLines struct {
	next, trials int
	text         []byte // written and not yet read
	buffer       []byte
}

func newTrialLines(trials int) *trialLines { return &trialLines{trials: trials} }

const lineScenarios = 50

// Read implements [io.Reader].
func (l *trialLines) Read(p []byte) (int, error) {
	if len(l.text) == 0 {
		if l.next == l.trials {
			return 0, io.EOF
		}
		l.buffer = l.buffer[:0]
		for end := min(l.next+500, l.trials); l.next < end; l.next++ {
			l.buffer = appendTrialLine(l.buffer, l.next)
		}
		l.text = l.buffer
	}
	n := copy(p, l.text)
	l.text = l.text[n:]
	return n, nil
}

// appendTrialLine appends the line of trial i.
func appendTrialLine(dst []byte, i int) []byte {
	outcome := `"pass"`
	if i/lineScenarios%10 == 0 {
		outcome = `"fail"`
	}
	dst = append(dst, `{"scenario":"s`...)
	dst = strconv.AppendInt(dst, int64(i%lineScenarios), 10)
	dst = append(dst, `","trial":`...)
	dst = strconv.AppendInt(dst, int64(i/lineScenarios), 10)
	dst = append(dst, `,"variant":"v","outcome":`...)
	dst = append(dst, outcome...)
	return append(dst, `,"cost_usd":0.01,"input_tokens":123,"output_tokens":45}`+"\n"...)
}

// traceLines are trials of about 3 KB each: steps with their contents, of twenty
// scenarios.
func traceLines(n int) ([]byte, error) {
	var text []byte
	result := trial.RawString(strings.Repeat("The order was found. ", 7))
	for i := range n {
		t := trial.Trial{
			Scenario: fmt.Sprint("s", i%20), Index: trial.Some(i / 20), Outcome: trial.Pass,
			CostUSD: trial.Some(0.01 + 0.001*float64(i%7)), OutputTokens: trial.Some(int64(100 + i%11)),
		}
		for k := range 6 + i%2 {
			t.Steps = append(t.Steps,
				trial.Step{Action: trial.Reason, Output: result, OutputTokens: trial.Some[int64](30)},
				trial.Step{Action: trial.CallTool, Tool: fmt.Sprint("tool_", (i+k)%5), Arguments: trial.Raw(fmt.Sprintf(`{"id":%d}`, i)), Output: result})
		}
		t.Steps = append(t.Steps, trial.Step{Action: trial.Respond, Output: result})
		var err error
		if text, err = trial.Append(text, &t); err != nil {
			return nil, err
		}
		text = append(text, '\n')
	}
	return text, nil
}

// behaviourSamples are two samples of one agent and one of another that calls more
// tools, of so many trials each.
func behaviourSamples(seed uint64, n int) (baseline, same, changed *fingerprint.Sample) {
	draw := func(run uint64, more int) *fingerprint.Sample {
		random := rand.New(rand.NewPCG(seed, run))
		sample := &fingerprint.Sample{}
		for i := range n {
			t := correlatedColumns(random, 0)
			for range more {
				t.Steps = append(t.Steps, call("read"))
			}
			t.Scenario, t.Index = "s", trial.Some(i)
			sample.Add(t)
		}
		return sample
	}
	return draw(1, 0), draw(2, 0), draw(3, 2)
}

// scenarioTallies are so many scenarios of twenty trials each.
func scenarioTallies(n int) []verdict.Tally {
	list := make([]verdict.Tally, n)
	for i := range list {
		list[i] = verdict.Tally{Scenario: fmt.Sprint("scenario-", i), Passes: 17 + i%4, Fails: 3 - i%4}
	}
	return list
}
