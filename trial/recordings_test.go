package trial

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"os"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
)

// openRecording opens a recorded run of a real agent, or skips the test where the
// recordings are not there.
func openRecording(t *testing.T, name string) *os.File {
	t.Helper()
	file, err := os.Open(refdata.Recorded(t, "trials", name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// The counts of the airline run are those its authors published: 84 of 200.
var recordings = []struct {
	name                  string
	passes, fails, errors int
	steps                 int
}{
	{"tau-airline-gpt-4o.jsonl.gz", 84, 116, 0, 3618},
	{"retail-gpt-4.1-mini-before.jsonl.gz", 79, 35, 0, 2468},
	{"retail-gpt-4.1-mini-after.jsonl.gz", 67, 47, 0, 2538},
	{"retail-gpt-4.1-mini-later.jsonl.gz", 66, 48, 0, 2458},
	{"retail-gemini-3-flash-base.jsonl.gz", 89, 21, 4, 2124},
	{"retail-gemini-3-flash-harness.jsonl.gz", 88, 25, 1, 5639},
}

func TestReadRecordings(t *testing.T) {
	for _, c := range recordings {
		t.Run(c.name, func(t *testing.T) {
			var keys KeySet
			byOutcome := map[Outcome]int{}
			steps := 0
			for x, err := range Read(openRecording(t, c.name), Options{File: c.name}) {
				if err != nil {
					t.Fatal(err)
				}
				if err := keys.Add(x); err != nil {
					t.Fatal(err)
				}
				if x.Outcome == Error && x.Error.Origin != InfrastructureOrigin {
					t.Errorf("%v: error of origin %q", x.Place, x.Error.Origin)
				}
				byOutcome[x.Outcome]++
				steps += len(x.Steps)
			}
			if byOutcome[Pass] != c.passes || byOutcome[Fail] != c.fails || byOutcome[Error] != c.errors ||
				steps != c.steps {
				t.Errorf("outcomes %v, %d steps", byOutcome, steps)
			}
		})
	}
}

func TestRecordingsRoundTrip(t *testing.T) {
	for _, c := range recordings {
		t.Run(c.name, func(t *testing.T) {
			text, err := gzip.NewReader(openRecording(t, c.name))
			if err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(text)
			lines.Buffer(nil, 1<<20)
			for lines.Scan() {
				sameAfterRoundTrip(t, bytes.Clone(lines.Bytes()))
			}
			if err := lines.Err(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
