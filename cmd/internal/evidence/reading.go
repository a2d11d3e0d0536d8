package evidence

import (
	"context"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Open returns the stream of the files, and of those in folders, and its trials with their
// progress on stderr. keep says how many bytes stay of a trial; nil keeps nothing.
func Open(
	ctx context.Context, a *world.World, names []string, o ingest.Options, keep func(*trial.Trial) int64,
) (*ingest.Stream, iter.Seq2[*trial.Trial, error]) {
	o.Stdin = a.Stdin
	files, err := FilesOf(ctx, a, names, o)
	if err != nil {
		return ingest.Open(nil, o), func(yield func(*trial.Trial, error) bool) { yield(nil, err) }
	}
	stream := ingest.Open(files, o)
	// The progress ends with the loop, however that is left, so its line is never left
	// standing.
	return stream, func(yield func(*trial.Trial, error) bool) {
		progress := a.NewProgress()
		defer progress.End()
		charge := newCharge(ctx)
		began, count := time.Now(), 0
		for t, err := range stream.Trials(ctx) {
			if err == nil && keep != nil {
				if err = charge.take(t, keep(t)); err != nil {
					t = nil
				}
			}
			if !yield(t, err) {
				return
			}
			if err != nil {
				return
			}
			progress.Count(t.Place.File)
			count++
		}
		if a.Verbose {
			a.Notice("note", "%s from %s, read in %v", prose.Count(count, "trial"), prose.Count(len(files), "file"),
				time.Since(began).Round(time.Millisecond))
		}
	}
}

// Read hands the trials of the files to add, one after the other, and tells what is
// worth knowing of the files.
func Read(ctx context.Context, a *world.World, names []string, o ingest.Options, keep func(*trial.Trial) int64,
	add func(*trial.Trial)) error {
	_, err := ReadStops(ctx, a, names, o, keep, add)
	return err
}

// ReadStops is Read that also returns how tests stopped the trials, where the files say.
func ReadStops(
	ctx context.Context, a *world.World, names []string, o ingest.Options,
	keep func(*trial.Trial) int64, add func(*trial.Trial),
) ([]recording.Stop, error) {
	into := keeping.SpoolOf(ctx)
	if into != nil {
		o.Fields = 0 // what is kept is all of it
	}
	stream, trials := Open(ctx, a, names, o, keep)
	for t, err := range trials {
		if err != nil {
			return nil, err
		}
		into.Take(t)
		add(t)
	}
	into.Stopped(stream.Notes())
	// After an error there are no notes: what was read before it counts for nothing.
	NoteFiles(a, stream.Notes(), o.From)
	return app.Stops(stream.Notes(), o.Variant), nil
}

// ReadRecording is Read into a recording, which knows afterwards how its trials were stopped,
// where the files say.
func ReadRecording(
	ctx context.Context, a *world.World, names []string, o ingest.Options, r *recording.Recording,
) error {
	return ReadBoth(ctx, a, names, o, r, Kept, r.Add)
}

// ReadBoth is ReadRecording with a function for the trials.
func ReadBoth(
	ctx context.Context, a *world.World, names []string, o ingest.Options, r *recording.Recording,
	keep func(*trial.Trial) int64, add func(*trial.Trial),
) error {
	stops, err := ReadStops(ctx, a, names, o, keep, add)
	if err != nil {
		return err
	}
	r.StoppedBy(stops...)
	return nil
}

// NoteFiles tells what is worth knowing of files that were read in a format. A format that
// was guessed is told, unless it is our own, so that a wrong guess is noticed; with --verbose all are.
func NoteFiles(a *world.World, all []ingest.Notes, from ingest.Format) {
	var told []ingest.Notes
	for _, notes := range all {
		if a.Verbose || notes.HasRemarks() || from == ingest.Auto && notes.Format != ingest.Trials {
			told = append(told, notes)
		}
	}
	NoteEach(a, told)
}

// NoteEach tells the notes of files, of many of them in sum.
func NoteEach(a *world.World, all []ingest.Notes) {
	single, rest := all, []ingest.Notes(nil)
	if len(single) > mostNoted {
		single, rest = split(all)
	}
	for _, n := range single {
		a.Notice("note", "%s", n)
	}
	if len(rest) > 0 {
		a.Notice("note", "%s", ingest.Sum(rest))
	}
	warned := map[string][]string{}
	for _, n := range all {
		if n.Warning != "" {
			warned[n.Warning] = append(warned[n.Warning], prose.FileName(n.File))
		}
	}
	for _, text := range slices.Sorted(maps.Keys(warned)) {
		a.Warn(prose.Some(warned[text], 3) + ": " + text)
	}
}

// noteErrors tells how many trials of a history were left out. Such a trial neither passed
// nor failed, and a history is a count of those that did.
func noteErrors(a *world.World, h runner.History) {
	if h.Errors > 0 {
		a.Notice("warning", "%s: trials that ended in an error are left out, %d of %d",
			prose.FileName(h.File), h.Errors, h.Counts.Trials+h.Errors)
	}
}

// mostNoted is how many files get a note of their own. The number is chosen: what fits on a
// screen. All others are summed up in one line.
const mostNoted = 20

// split returns the first files that there is more to say of than how many trials
// they hold, and all others.
func split(notes []ingest.Notes) (single, rest []ingest.Notes) {
	for _, n := range notes {
		if n.HasRemarks() && len(single) < mostNoted {
			single = append(single, n)
			continue
		}
		rest = append(rest, n)
	}
	return single, rest
}

// Told tells what is worth knowing of a recording that a suite names as a prior. A prior is
// read in any format, as --from is about other files.
func Told(a *world.World, h runner.History) {
	NoteFiles(a, h.Notes, ingest.Auto)
	noteErrors(a, h)
}
