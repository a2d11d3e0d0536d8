package tribunaltest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

// BaselineVariable is the environment variable that names a folder of results, as [ResultsVariable] made it.
// Every test is then compared with its own result of that time: it fails where the rate has
// dropped, beside what its threshold says. A test without a result there is judged by its
// threshold alone, and says so.
const BaselineVariable = "TRIBUNAL_BASELINE"

// RecordVariable is the environment variable that has every test run so many trials and decide nothing: a baseline
// that holds enough trials to tell a drop. Its results go where [ResultsVariable] says.
const RecordVariable = "TRIBUNAL_RECORD"

// recordedTrials is how many trials are to be recorded; 0 is none.
func recordedTrials() (int, error) {
	text := os.Getenv(RecordVariable)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s: %q is no number of trials from 1 on", RecordVariable, text)
	}
	return n, nil
}

// savedRun is the result of an earlier run of the test.
type savedRun struct {
	file   string
	result *runs.Result
}

// savedBaseline reads what the variable names for this test; nil where there is nothing.
func savedBaseline(t testing.TB) (*savedRun, error) {
	folder := os.Getenv(BaselineVariable)
	if folder == "" {
		return nil, nil
	}
	if info, err := os.Stat(folder); err != nil {
		return nil, fmt.Errorf("%s: %w", BaselineVariable, err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s: %s is no folder; name the one that %s made", BaselineVariable, folder, ResultsVariable)
	}
	s := &savedRun{file: filepath.Join(folder, fileOf(t.Name()))}
	text, err := os.ReadFile(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		t.Logf("note: there is no baseline %s, so the threshold alone decides", s.file)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if s.result, err = decode(t.Context(), text); err != nil {
		return nil, fmt.Errorf("%s: %w", s.file, err)
	}
	return s, nil
}

// decode reads the result of a run, and refuses one that does not follow from its own trials.
func decode(ctx context.Context, text []byte) (*runs.Result, error) {
	result, err := verify.Decode(text)
	if err != nil {
		return nil, err
	}
	run, is := result.(*runs.Result)
	if !is {
		return nil, errors.New("this is not the result of a test")
	}
	_, err = verify.Verify(ctx, run)
	return run, err
}

// against plans the test against what the baseline came to.
func (d Design) against(t testing.TB, s *savedRun) (*runs.Against, error) {
	recorded, err := runs.BaselineOf(s.result, t.Name())
	if err != nil {
		return nil, err
	}
	question := baseline.Question{Delta: d.Delta, Alpha: d.Alpha, Beta: d.Beta}
	made, err := baseline.Against(t.Context(), question, recorded.Sample, recorded.Worst,
		baseline.Options{MaxTrials: d.MaxTrials})
	if err != nil {
		return nil, err
	}
	return recorded.Against(made.Family, runs.BaselineSource{File: s.file, Finished: s.result.Finished}), nil
}

// fileOf is the name of a result's file: that of the test, whose subtests have slashes.
func fileOf(test string) string {
	return strings.NewReplacer("%", "%25", "/", "%2F", `\`, "%5C", ":", "%3A").Replace(test) + ".result.json"
}
