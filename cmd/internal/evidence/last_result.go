package evidence

import (
	"cmp"
	"context"
	"os"
	"path/filepath"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict"
)

// LastResult returns the arguments of a command that reads one result: where none is named, the file that the suite
// of this folder saved last, be it of all its scenarios, of some, or where it counts, the decision of a gate; without a
// suite, the last one in .tribunal. It is named on stderr, as the person did not name it.
func LastResult(a *world.World, command string, args []string, decisions bool) ([]string, error) {
	if len(args) > 0 {
		return args, nil
	}
	file, err := app.FindSuite()
	if err != nil {
		return nil, err
	}
	var files, journals []string
	if file == "" {
		// Such as those of repeat, which has no suite.
		if files, err = filepath.Glob(filepath.Join(app.WorkFolder, "*.result.json")); err != nil {
			return nil, err
		}
		if journals, err = filepath.Glob(filepath.Join(app.WorkFolder, "*.journal.jsonl")); err != nil {
			return nil, err
		}
	} else {
		s, err := app.LoadSuite(a.Opening, file)
		if err != nil {
			return nil, err
		}
		all, some := app.FilesOf(s, false), app.FilesOf(s, true)
		files, journals = []string{all.Result, some.Result}, []string{all.Journal, some.Journal}
		if decisions {
			files = append(files, all.Gate)
		}
	}
	last := Latest(files)
	if last == "" {
		advice, _ := app.JournalAdvice(a.Opening, Latest(journals))
		if file == "" {
			return nil, problem.Usage(cmp.Or(advice, "such as .tribunal/NAME.result.json"),
				"%s takes one saved result, and none was saved here", command)
		}
		return nil, problem.BadInput("the suite "+file+" has no saved result yet",
			cmp.Or(advice, "tribunal run saves one; or name another file"))
	}
	a.Notice("note", "the result is %s", last)
	return []string{last}, nil
}

// Latest is the file that was written last, of those that are there; "" where none is.
func Latest(files []string) (last string) {
	for _, file := range files {
		if _, err := os.Stat(file); err == nil && (last == "" || Later(file, last)) {
			last = file
		}
	}
	return last
}

// Later reports whether a file is there and was written after another one.
func Later(one, other string) bool {
	first, err := os.Stat(one)
	if err != nil {
		return false
	}
	second, err := os.Stat(other)
	return err != nil || first.ModTime().After(second.ModTime())
}

// ReadSaved reads the one result that the arguments name.
func ReadSaved(ctx context.Context, a *world.World, command string, args []string) (verdict.Result, error) {
	name, err := OneSaved(command, args)
	if err != nil {
		return nil, err
	}
	return app.ReadResult(ctx, name, a.Stdin)
}

// OneSaved is the one result that the arguments name.
func OneSaved(command string, args []string) (string, error) {
	if len(args) != 1 {
		return "", problem.Usage("such as .tribunal/NAME.result.json, or - for standard input",
			"%s takes one saved result, but there are %d arguments", command, len(args))
	}
	return args[0], nil
}

// IsSuite reports whether a path is that of a suite file, or of a folder with one.
func IsSuite(path string) bool {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		_, err = os.Stat(filepath.Join(path, suite.FileName))
	}
	return err == nil
}
