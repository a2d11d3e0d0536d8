package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/internal/app"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/verdict"
)

// reportFlags are those of the command report.
type reportFlags struct {
	format word[report.Format]
	// In JUnit XML alone.
	fails  bool
	result resultFlags
	store  storeFlags
}

// reportCommand judges nothing again: what the result says is what is written. Package
// report computes nothing either.
func (a *App) reportCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "report [RESULT] --format FORMAT",
		Short: "write a saved result as text, Markdown, JUnit XML, HTML and more",
		Long: `Write a saved result again: what run saved, or what --json or --output of verdict and
compare wrote. RESULT may be -, standard input, or store:QUERY, which means one run of a
store; without it, it is the last one of the suite that is found from here upwards.

text and json are what the command itself prints; markdown is for the comment of a pull
request, summary the same with more room; junit and gotest are for test reporters; html
is one file that needs no network; annotations and outputs are for GitHub Actions;
metrics is JSON with what the trials took, in the shape that metrics_file of a suite reads
from an agent. The exit code is 0 where the report was written, whatever the verdict.`,
		Example: `  tribunal report .tribunal/shop.result.json --format html --output report.html
  tribunal report --format markdown
  tribunal report result.json --format summary >> "$GITHUB_STEP_SUMMARY"`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f reportFlags
	f.format = word[report.Format]{kind: "FORM", words: report.Formats()}
	command.Flags().Var(&f.format, "format", f.format.usage("what to write"))
	command.Flags().BoolVar(&f.fails, "inconclusive-fails", false,
		"let Inconclusive be a failure in JUnit XML, not a skipped test")
	f.result.registerForm(command.Flags())
	f.result.registerExplain(command.Flags())
	_ = command.Flags().MarkHidden("json") // --format json says it
	f.store.register(command.Flags(), "read store:QUERY from this store")
	command.RunE = a.with(func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, args)
	})
	return command
}

// execute lets --json, which other commands have, stand for --format json.
func (f *reportFlags) execute(ctx context.Context, a *App, args []string) error {
	args, err := a.lastResult("report", args, true)
	if err != nil {
		return err
	}
	result, err := a.readSaved(ctx, "report", args)
	if err != nil {
		return err
	}
	to, err := f.result.file(ctx, a, args)
	if err != nil {
		return err
	}
	format := f.format.value
	if f.result.json {
		format = report.JSONFormat
	}
	o := f.result.textOptions(a, to)
	o.InconclusiveFails = f.fails
	return a.deliver(ctx, to, func(w io.Writer) error { return report.Write(w, result, format, o) })
}

// readSaved reads the one result that the arguments name.
func (a *App) readSaved(ctx context.Context, command string, args []string) (verdict.Result, error) {
	if len(args) != 1 {
		return nil, usage("such as .tribunal/NAME.result.json, or - for standard input",
			"%s takes one saved result, but there are %d arguments", command, len(args))
	}
	return app.ReadResult(ctx, args[0], a.Stdin)
}

// reportFiles are what --report asks for.
type reportFiles struct {
	// In the order in which they were given, which is that of writing.
	list []reportFile
}

type reportFile struct {
	format report.Format
	// As it was given.
	path string
	// Nil until open has looked at it.
	to *outputFile
}

// Set adds a report. The text is FORMAT=FILE; the flag may be given several times, each
// time for one file.
func (f *reportFiles) Set(text string) error {
	name, path, found := strings.Cut(text, "=")
	for _, format := range report.Formats() {
		if found && path != "" && format.String() == name {
			f.list = append(f.list, reportFile{format: format, path: path})
			return nil
		}
	}
	var names []string
	for _, format := range report.Formats() {
		names = append(names, format.String())
	}
	return fmt.Errorf("must be FORMAT=FILE, with one of %s", strings.Join(names, ", "))
}

// String returns the reports as they were given.
func (f *reportFiles) String() string {
	var list []string
	for _, file := range f.list {
		list = append(list, file.format.String()+"="+file.path)
	}
	return strings.Join(list, ",")
}

// Type is the word for a value in the help.
func (f *reportFiles) Type() string { return "FORMAT=FILE" }

// open looks at the files before the work begins; none may be another one that the command reads or writes.
func (f *reportFiles) open(others ...string) error {
	for i := range f.list {
		file := &f.list[i]
		for _, other := range others {
			// Two names that are written differently can be compared only where the files
			// are there.
			if file.path == other || sameFile(file.path, other) {
				return usage("choose another name", "--report %s=%s is another file of the command", file.format, file.path)
			}
		}
		others = append(others, file.path)
		var err error
		if file.to, err = newOutputFile("--report", file.path); err != nil {
			return err
		}
	}
	return nil
}

// paths are the files, as they were given.
func (f *reportFiles) paths() (list []string) {
	for _, file := range f.list {
		list = append(list, file.path)
	}
	return list
}

// write writes the reports one by one; the first error ends it, and what is written stays.
func (f *reportFiles) write(ctx context.Context, a *App, result verdict.Result, flags *resultFlags) error {
	for _, file := range f.list {
		o := flags.textOptions(a, file.to)
		write := func(w io.Writer) error { return report.Write(w, result, file.format, o) }
		if err := a.deliver(ctx, file.to, write); err != nil {
			return err
		}
	}
	return nil
}
