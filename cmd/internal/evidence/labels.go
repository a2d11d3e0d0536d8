package evidence

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/labels"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/trial"
)

// KeyOf is the name of the key of a sheet.
func KeyOf(sheet string) string { return strings.TrimSuffix(sheet, filepath.Ext(sheet)) + ".key.json" }

// LabelOptions are how a recording is read that a sheet is drawn from, and again when the labels are there: trials that
// do not state their number get that of their order.
func LabelOptions(o ingest.Options) ingest.Options {
	o.Fields, o.Numbered = 0, true
	return o
}

// ReadLabels reads a labelled sheet with the key beside it.
func ReadLabels(ctx context.Context, file string) (*labels.LabelledSheet, error) {
	sheet, err := openBeside(file, "check the name")
	if err != nil {
		return nil, err
	}
	sheet.Close()
	if filepath.Ext(file) != ".csv" {
		if err := app.OtherFile(ctx, file, "sheet", "tribunal judge label "+file+" draws one from it", nil); err != nil {
			return nil, err
		}
	}
	key, err := openBeside(KeyOf(file), "tribunal judge label writes it beside the sheet: keep both together")
	if err != nil {
		return nil, err
	}
	defer key.Close()
	k, err := labels.ParseKey(key.Name(), key)
	if err != nil {
		return nil, err
	}
	return ReadLabelsOf(k, file)
}

// ReadLabelsOf reads a labelled sheet of a key that was read.
func ReadLabelsOf(k *labels.Key, file string) (*labels.LabelledSheet, error) {
	sheet, err := openBeside(file, "check the name")
	if err != nil {
		return nil, err
	}
	defer sheet.Close()
	return k.Read(sheet.Name(), sheet)
}

// openBeside opens a file of labels, or says that it is not there.
func openBeside(name, advice string) (*os.File, error) {
	file, err := os.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &trial.FileError{File: name, Problem: "does not exist", Advice: advice}
	case err != nil:
		return nil, &trial.FileError{File: name, Problem: "cannot be read: " + problem.WithoutPath(err).Error()}
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		file.Close()
		return nil, &trial.FileError{File: name, Problem: "is a folder", Advice: advice}
	}
	return file, nil
}
