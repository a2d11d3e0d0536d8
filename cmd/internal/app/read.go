package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/memory"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/signature"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

// MaxResultBytes is the largest saved result that is read. It is chosen: those of a suite of thousands of
// scenarios have some ten megabytes.
const MaxResultBytes = 256 << 20

// ReadFile reads a file of at most [MaxResultBytes], or stdin for the name "-". The end of the context ends it with
// its cause, also while a pipe is waited for.
func ReadFile(ctx context.Context, name string, stdin io.Reader) ([]byte, error) {
	return input.Read(ctx, name, stdin, MaxResultBytes, "is it a saved result?")
}

// IsResult reports whether a file is a saved result: a JSON object whose first member is a
// schema of this program. Standard input and pipes are none, for they can be read once only.
func IsResult(ctx context.Context, file string) bool {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || file == "-" {
		return false
	}
	in, err := input.Open(ctx, file)
	if err != nil {
		return false
	}
	defer in.Close()
	// A schema is short, whatever else the file is.
	decoder := json.NewDecoder(io.LimitReader(in, 1<<12))
	for _, want := range []any{json.Delim('{'), "schema"} {
		if token, err := decoder.Token(); err != nil || token != want {
			return false
		}
	}
	schema, err := decoder.Token()
	text, isText := schema.(string)
	return err == nil && isText && strings.HasPrefix(text, "tribunal/")
}

// ReadResult reads a saved result, from stdin for the name "-". What is not there, cannot
// be read or is no result at all are different errors, each with its own advice; none of
// them is a verdict. The end of the context ends it with its cause, also while a pipe is
// waited for.
func ReadResult(ctx context.Context, name string, stdin io.Reader) (verdict.Result, error) {
	return readResult(ctx, name, stdin, nil)
}

// readResult is ReadResult of a file that has the signature of one of the keys, where they are asked
// for; nil asks for none.
func readResult(
	ctx context.Context, name string, stdin io.Reader, trusted *signature.TrustedKeys,
) (verdict.Result, error) {
	text, err := ReadFile(ctx, name, stdin)
	refused, isRefused := errors.AsType[*trial.FileError](err)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case isRefused:
		return nil, refused
	case err != nil && input.IsStored(name):
		return nil, err // which says what to do
	case errors.Is(err, fs.ErrNotExist):
		return nil, &trial.FileError{
			File: name, Problem: "does not exist", Advice: "tribunal run saves its result in .tribunal", Err: err,
		}
	case err != nil:
		return nil, unreadable(name, err)
	}
	// What nobody vouches for is not even decoded.
	if err := trusted.Check(name, text); err != nil {
		return nil, &RefusedError{Problem{Text: err.Error(), Err: err,
			Advice: "tribunal run and gate sign what they save with --sign KEY"}}
	}
	// A result is decoded into structs, which take less than maps, and stays.
	bytes := memory.OfJSON(text)
	if err := memory.From(ctx).Take(bytes, name); err != nil {
		return nil, err
	}
	result, err := verify.Decode(text)
	if err != nil {
		memory.From(ctx).Give(bytes)
	}
	// The decoder has seen a text and no name.
	if problem, ok := errors.AsType[*verify.DecodeError](err); ok {
		err = &Problem{
			Text:   prose.FileName(name) + " " + problem.Problem,
			Advice: problem.Advice, Err: problem,
		}
		if name == "-" || input.IsStored(name) || IsResult(ctx, name) {
			return nil, err
		}
		goesOn, _ := JournalAdvice(ctx, name)
		return nil, OtherFile(ctx, name, "saved result",
			cmp.Or(goesOn, "tribunal verdict "+prose.FileName(name)+" judges it"), err)
	}
	if err == nil {
		err = memory.From(ctx).Take(outcomeBytes*outcomes(result), name)
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

// outcomeBytes is what verifying a run takes for each outcome, of which the text has one letter: a trial.
const outcomeBytes = 1 << 10

// TestSetting is a number of the test of a run's suite, such as its delta; 0 where the run does not say it.
func TestSetting(r *runs.Result, key string) (x float64) {
	for _, line := range r.Settings {
		if text, is := strings.CutPrefix(line, "test."+key+": "); is {
			x, _ = strconv.ParseFloat(text, 64)
		}
	}
	return x
}

// outcomes counts the outcomes that a result has as letters.
func outcomes(result verdict.Result) (n int64) {
	run := RunOf(result)
	if run == nil {
		return 0
	}
	for i := range run.Tests {
		n += int64(len(run.Tests[i].Outcomes))
		if r := run.Tests[i].Regression; r != nil {
			n += int64(len(r.Outcomes))
		}
	}
	return n
}

// journalFactor is how many times its own length a journal takes once it is read.
const journalFactor = 4

// ReadJournal reads a journal. The error of one that is not there is [fs.ErrNotExist].
func ReadJournal(ctx context.Context, name string) (*journal.History, error) {
	if err := CheckJournal(ctx, name); err != nil {
		return nil, err
	}
	return journal.Read(name)
}

// CheckJournal refuses what can be no journal, and one that takes more memory than there is. One that is not there is
// none of these.
func CheckJournal(ctx context.Context, name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil // it comes again when it is opened
	// A journal is continued, which no pipe can be.
	case !info.Mode().IsRegular():
		return &trial.FileError{File: name, Problem: "is no regular file, and so no journal",
			Advice: "name the file that tribunal run wrote"}
	}
	return memory.From(ctx).Take(journalFactor*info.Size(), name)
}

// unreadable is an error of opening or reading a file, without the name that package os
// puts into it. The message would otherwise name the file twice.
func unreadable(name string, err error) error {
	problem := err
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		problem = path.Err
	}
	return &trial.FileError{File: name, Problem: "cannot be read: " + problem.Error(), Err: err}
}
