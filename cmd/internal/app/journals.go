package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/internal/filelock"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// JournalAdvice says what to do with the journal of a run where a verdict is wanted: continue the run if it has not
// ended, with the command that does, or read its result. Both are "" of any other file.
func JournalAdvice(ctx context.Context, file string) (advice, command string) {
	if !IsJournal(file) {
		return "", ""
	}
	history, err := ReadJournal(ctx, file)
	if err != nil {
		return "", ""
	}
	ended := history.Decided()
	if !ended && isLocked(file) {
		return "the run goes on in another process, which will have its verdict", ""
	}
	command = Continuation(file, history.Header)
	result := resultOf(ctx, file, history)
	shows := "tribunal report " + problem.ShellWord(result) + " shows its result"
	switch {
	case ended && result != "":
		return shows, ""
	case ended && history.Header.Shard != nil:
		return "tribunal run merge judges it together with the journals of the other shards", ""
	case ended:
		return command + " saves its result again, without new trials", ""
	case result != "": // it has one though it did not decide
		return command + " continues the run, once its budget is larger; " + shows, command
	}
	return "the run has not ended: " + command + " continues it", command
}

// plain is a command that can be shown to be pasted, whoever wrote the journal: nothing is special to a shell, and no
// word holds another command.
var plain = regexp.MustCompile(`^tribunal( [\w./=,:@%+-]+)+ --resume$`)

// Continuation is the command that continues the run of a journal. It was given in a folder that is known where the
// journal still lies there.
func Continuation(file string, h journal.Header) string {
	if !plain.MatchString(h.Command) || strings.Contains(h.Command, " -- ") {
		return "tribunal run SUITE --resume --journal " + problem.ShellWord(file) + ", with its first options,"
	}
	here, failed := os.Stat(h.File)
	this, err := os.Stat(file)
	if failed == nil && err == nil && os.SameFile(here, this) {
		return h.Command
	}
	named := string(filepath.Separator) + filepath.Clean(h.File)
	if folder, within := strings.CutSuffix(file, named); within && folder != "" {
		return "cd " + problem.ShellWord(folder) + " && " + h.Command
	}
	return h.Command + ", where it began,"
}

// resultOf is the file beside a journal with the result of its run; "" is none.
func resultOf(ctx context.Context, file string, history *journal.History) string {
	base := strings.TrimSuffix(strings.TrimSuffix(file, ".jsonl"), ".journal")
	for _, end := range []string{".result.json", ".json", ".gate.json"} {
		if !IsResult(ctx, base+end) {
			continue
		}
		saved, err := ReadResult(ctx, base+end, nil)
		if err != nil {
			continue
		}
		// One that was judged from the journal is no end of the run.
		run := RunOf(saved)
		if run != nil && run.StoppedBy != runs.StoppedByRecording && runner.FollowsJournal(history, run) == nil {
			return base + end
		}
	}
	return ""
}

// isLocked reports whether another process writes a journal.
func isLocked(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	unlock, err := filelock.Shared(f)
	if err == nil {
		err = unlock()
	}
	return errors.Is(err, filelock.ErrLocked)
}
