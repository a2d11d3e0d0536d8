package growth

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/tribunal-dev/tribunal/cmd/experiment"
)

// inputs makes what operations read, in a folder.
type inputs struct {
	folder string
	made   int // names that were given
}

// name is a file of its own that is not there yet.
func (in *inputs) name(end string) string {
	in.made++
	return filepath.Join(in.folder, strconv.Itoa(in.made)+end)
}

// command runs a command line. Verdicts are no errors; what is printed is thrown away.
func command(ctx context.Context, stdin io.Reader, args ...string) error {
	return experiment.Command(ctx, stdin, append(args, "--max-memory", "16GiB")...)
}

// recording is a file of trials in lines of about 110 bytes. Of so many scenarios each has as many trials, give or take
// one; the share that passes differs between scenarios.
type recording struct {
	trials, scenarios int
	failing           int // one trial in about so many fails
	traces            bool
}

// scenariosOfTrials is how many scenarios there are where trials are counted. Chosen: as in the other tables of speed.
const scenariosOfTrials = 50

// file writes the recording.
func (r recording) file(in *inputs) (string, error) {
	name := in.name(".jsonl")
	file, err := os.Create(name)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(file, r.reader())
	return name, errors.Join(err, file.Close())
}

// reader writes the recording while it is read, in the blocks of a pipe.
func (r recording) reader() io.Reader {
	read, write := io.Pipe()
	go func() {
		to := bufio.NewWriterSize(write, 1<<16)
		var line []byte
		for i := range r.trials {
			line = r.appendLine(line[:0], i)
			if _, err := to.Write(line); err != nil {
				return // nobody reads on
			}
		}
		write.CloseWithError(to.Flush())
	}()
	return read
}

// appendLine appends the line of trial i.
func (r recording) appendLine(line []byte, i int) []byte {
	scenario, index := i%r.scenarios, i/r.scenarios
	outcome := "pass"
	// The multiple spreads failures over scenarios and trials alike.
	if (scenario*31+index*17+scenario*index)%r.failing == 0 {
		outcome = "fail"
	}
	line = append(line, `{"scenario":"s`...)
	line = strconv.AppendInt(line, int64(scenario), 10)
	line = append(line, `","trial":`...)
	line = strconv.AppendInt(line, int64(index), 10)
	line = append(line, `,"variant":"v","outcome":"`...)
	line = append(line, outcome...)
	line = append(line, `","cost_usd":0.01,"input_tokens":`...)
	line = strconv.AppendInt(line, int64(100+i%37), 10)
	line = append(line, `,"output_tokens":45`...)
	if r.traces {
		line = append(line, `,"steps":[`...)
		for step := range 5 + i%3 {
			line = append(line, `{"action":"call_tool","tool":"tool-`...)
			line = strconv.AppendInt(line, int64((i+step*step)%7), 10)
			line = append(line, `","arguments":{"id":17},"output":"found"},`...)
		}
		line = append(line, `{"action":"respond"}]`...)
	}
	return append(line, "}\n"...)
}
