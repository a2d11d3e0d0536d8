package cli

import (
	"os"

	"github.com/tribunal-dev/tribunal/internal/app"
)

// lastResult returns the arguments of a command that reads one result: where none is named, the file that the suite
// of this folder saved last, be it of all its scenarios, of some, or where it counts, the decision of a gate. It is
// named on stderr, as the person did not name it.
func (a *App) lastResult(command string, args []string, decisions bool) ([]string, error) {
	if len(args) > 0 {
		return args, nil
	}
	file, err := app.FindSuite()
	if err != nil {
		return nil, err
	}
	if file == "" {
		return nil, usage("such as .tribunal/NAME.result.json",
			"%s takes one saved result, and there is no suite here whose last one it could be", command)
	}
	s, err := app.LoadSuite(a.opening, file)
	if err != nil {
		return nil, err
	}
	all := app.FilesOf(s, false)
	files := []string{all.Result, app.FilesOf(s, true).Result}
	if decisions {
		files = append(files, all.Gate)
	}
	last := ""
	for _, file := range files {
		if _, err := os.Stat(file); err == nil && (last == "" || later(file, last)) {
			last = file
		}
	}
	if last == "" {
		return nil, badInput("the suite "+file+" has no saved result yet", "tribunal run saves one; or name another file")
	}
	a.notice("note", "the result is %s", last)
	return []string{last}, nil
}
