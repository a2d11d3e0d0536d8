package results

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
)

// ViewRequest asks for a saved result as a page in a browser.
type ViewRequest struct {
	Result string // file, - or store:QUERY
	Output string // the file of the page; "" is beside a result in .tribunal, else in the folder of temporary files
	Open   bool   // in a browser
}

// View writes the page of a result, prints where it is, and opens it in a browser. Where none can be opened that is a
// note.
func View(ctx context.Context, a *world.World, r ViewRequest) error {
	if _, which := splitTrial(r.Result); which != "" {
		which = prose.Printable(which)
		return problem.Usage(fmt.Sprintf("omit :%s: the page of a result has its trials; tribunal report diff FILE:1 "+
			"FILE:2 sets two of a file side by side", which), "view shows a result, not trial %s of one", which)
	}
	file := r.Output
	if file == "" {
		var err error
		if file, err = pageOf(r.Result); err != nil {
			return err
		}
	}
	if f, usual := deliver.FormatOf(file); usual && f != report.HTMLFormat {
		return problem.Usage(fmt.Sprintf("tribunal report %s --output %s writes that", r.Result, file),
			"--output %s: view writes a page of HTML, and the name says %s", file, f)
	}
	page := ReportRequest{Result: r.Result, Format: report.HTMLFormat, To: deliver.Target{Output: file}}
	if err := Report(ctx, a, page); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(a.Out, file); err != nil || !r.Open {
		return err
	}
	if err := openBrowser(a, file); err != nil {
		a.Notice("note", "%v: open the file in a browser", err)
	}
	return nil
}

// pageOf is the file of the page of a result.
func pageOf(result string) (string, error) {
	base := strings.TrimSuffix(filepath.Base(result), ".json") + ".html"
	if dir := filepath.Dir(result); filepath.Base(dir) == app.WorkFolder {
		return filepath.Join(dir, base), nil
	}
	if strings.ContainsAny(result, ":?") || result == "-" {
		base = "result.html" // of no file
	}
	dir, err := os.MkdirTemp("", "tribunal-view-")
	if err != nil {
		return "", fmt.Errorf("page cannot be written: %w", err)
	}
	return filepath.Join(dir, base), nil
}

// openBrowser opens a file in the browser of the person, which goes on by itself.
func openBrowser(a *world.World, file string) error {
	path, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	words := []string{"xdg-open", path}
	switch runtime.GOOS {
	case "darwin":
		words[0] = "open"
	case "windows":
		words = []string{"rundll32", "url.dll,FileProtocolHandler", path}
	default:
		if a.Env.Get("DISPLAY") == "" && a.Env.Get("WAYLAND_DISPLAY") == "" {
			return errors.New("there is no display")
		}
	}
	command := exec.Command(words[0], words[1:]...)
	if err := command.Start(); err != nil {
		return fmt.Errorf("no browser can be opened: %w", err)
	}
	return command.Process.Release()
}
