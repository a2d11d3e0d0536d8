package ingest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// VariantError says that the variant to read is not clear, or not there.
type VariantError struct {
	trial.Place          // of the first trial of a second variant; none if Requested is not there
	Requested   string   // by the options; may be ""
	Present     []string // in their order; "" stands for trials that name none
}

// Error is the message and, where a variant has to be chosen, the hint.
func (e *VariantError) Error() string {
	if e.Requested != "" {
		return e.Message()
	}
	return e.Message() + "; " + e.Hint()
}

// Hint says what to do about it.
func (e *VariantError) Hint() string {
	if e.Requested != "" {
		return "check the name that Variant gives"
	}
	return "choose one with Variant"
}

// Option returns the option that the hint names.
func (e *VariantError) Option() string { return "Variant" }

// ExitCode is that of input that cannot be used.
func (e *VariantError) ExitCode() int { return exit.Input }

// Message names the variants that there are.
func (e *VariantError) Message() string {
	present := make([]string, 0, len(e.Present))
	for i, v := range e.Present {
		if i == variantsNamed {
			present = append(present, fmt.Sprintf("and %d more", len(e.Present)-i))
			break
		}
		if v == "" {
			present = append(present, "one without a name")
			continue
		}
		present = append(present, strconv.Quote(prose.Excerpt(v)))
	}
	list := strings.Join(present, ", ")
	if e.Requested != "" {
		return fmt.Sprintf("no trial is of the variant %q; the variants are %s", prose.Excerpt(e.Requested), list)
	}
	return fmt.Sprintf("%s: the trials are of several variants: %s", e.Place, list)
}

const (
	variantsNamed = 8   // in a message
	variantsKept  = 100 // in an error
)

// selection admits the trials of one variant, each once.
// Trials come in order of the files, so that only a change of variant needs a look at the list.
type selection struct {
	wanted     string
	all        bool        // variants are wanted
	eachFile   bool        // may be of another variant
	present    []string    // the variants seen, of this file alone if eachFile
	second     trial.Place // where the second variant was seen, if none is wanted
	duplicates bool        // are allowed
	keys       trial.KeySet
}

func newSelection(o Options) *selection {
	return &selection{wanted: o.Variant, all: o.AllVariants, eachFile: o.VariantEachFile, duplicates: o.AllowDuplicates}
}

// turn begins a file.
func (s *selection) turn() {
	if s.eachFile && s.wanted == "" {
		s.present = nil
	}
}

// admit reports whether the trial is to be handed out. Once a second variant was
// seen none is: the stream is read to its end to name all variants.
func (s *selection) admit(t *trial.Trial) (bool, error) {
	if len(s.present) == 0 || s.present[len(s.present)-1] != t.Variant {
		s.see(t)
	}
	if s.wanted != "" && t.Variant != s.wanted || s.mixed() {
		return false, nil
	}
	if s.duplicates {
		return true, nil
	}
	return true, s.keys.Add(t)
}

// see notes the variant of the trial.
func (s *selection) see(t *trial.Trial) {
	if slices.Contains(s.present, t.Variant) || len(s.present) >= variantsKept {
		return
	}
	if len(s.present) == 1 {
		s.second = t.Place
	}
	s.present = append(s.present, t.Variant)
}

// mixed reports whether there are several variants and none was chosen.
func (s *selection) mixed() bool { return s.wanted == "" && !s.all && len(s.present) > 1 }

// verdict returns the error of a stream that ended with err.
func (s *selection) verdict(err error, files []*fileReading) error {
	handedOut, skipped := 0, 0
	for _, f := range files {
		handedOut += f.trials
		for _, o := range f.notes.Omissions {
			skipped += o.Count
		}
	}
	switch {
	case err == errStopped:
		return err
	case s.mixed():
		return &VariantError{Place: s.second, Present: s.present}
	case err != nil || handedOut > 0:
		return err
	case s.wanted != "" && len(s.present) > 0:
		return &VariantError{Requested: s.wanted, Present: s.present}
	}
	e := &trial.FileError{Problem: "holds no trials", Advice: "did anything run?", Err: errEmpty}
	if len(files) == 1 {
		e.File = files[0].file
	}
	if len(files) == 1 && len(files[0].notes.Remarks) > 0 {
		e.Advice = files[0].notes.Remarks[0]
	}
	if skipped > 0 {
		e.Problem = fmt.Sprintf("holds no trials: every record was skipped (%d)", skipped)
	}
	if len(files) == 1 {
		return files[0].misnamed(e)
	}
	return e
}
