package cli

import (
	"context"
	"iter"
	"time"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/app"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// open returns the stream of the files, and of those in folders, and its trials with their
// progress on stderr. keep says how many bytes stay of a trial; nil keeps nothing.
func (a *App) open(
	ctx context.Context, names []string, o ingest.Options, keep func(*trial.Trial) int64,
) (*ingest.Stream, iter.Seq2[*trial.Trial, error]) {
	o.Stdin = a.Stdin
	files, err := a.filesOf(ctx, names, o)
	if err != nil {
		return ingest.Open(nil, o), func(yield func(*trial.Trial, error) bool) { yield(nil, err) }
	}
	stream := ingest.Open(files, o)
	// The progress ends with the loop, however that is left, so its line is never left
	// standing.
	return stream, func(yield func(*trial.Trial, error) bool) {
		progress := a.newProgress()
		defer progress.end()
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
			progress.count(t.Place.File)
			count++
		}
		if a.verbose {
			a.notice("note", "%s from %s, read in %v", prose.Count(count, "trial"), prose.Count(len(files), "file"),
				time.Since(began).Round(time.Millisecond))
		}
	}
}

// read hands the trials of the files to add, one after the other, and tells what is
// worth knowing of the files.
func (a *App) read(ctx context.Context, names []string, o ingest.Options, keep func(*trial.Trial) int64, add func(*trial.Trial)) error {
	_, err := a.readStops(ctx, names, o, keep, add)
	return err
}

// readStops is read that also returns how tests stopped the trials, where the files say.
func (a *App) readStops(
	ctx context.Context, names []string, o ingest.Options, keep func(*trial.Trial) int64, add func(*trial.Trial),
) ([]recording.Stop, error) {
	into := spoolOf(ctx)
	if into != nil {
		o.Fields = 0 // what is kept is all of it
	}
	stream, trials := a.open(ctx, names, o, keep)
	for t, err := range trials {
		if err != nil {
			return nil, err
		}
		into.take(t)
		add(t)
	}
	into.stopped(stream.Notes())
	// After an error there are no notes: what was read before it counts for nothing.
	a.noteFiles(stream.Notes(), o.From)
	return app.Stops(stream.Notes(), o.Variant), nil
}

// readRecording is read into a recording, which knows afterwards how its trials were stopped,
// where the files say.
func (a *App) readRecording(ctx context.Context, names []string, o ingest.Options, r *recording.Recording) error {
	return a.readBoth(ctx, names, o, r, kept, r.Add)
}

// readBoth is readRecording with a function for the trials.
func (a *App) readBoth(
	ctx context.Context, names []string, o ingest.Options, r *recording.Recording,
	keep func(*trial.Trial) int64, add func(*trial.Trial),
) error {
	stops, err := a.readStops(ctx, names, o, keep, add)
	if err != nil {
		return err
	}
	r.StoppedBy(stops...)
	return nil
}

// noteFiles tells what is worth knowing of files that were read in a format. A format that
// was guessed is told, unless it is our own, so that a wrong guess is noticed; with --verbose all are.
func (a *App) noteFiles(all []ingest.Notes, from ingest.Format) {
	var told []ingest.Notes
	for _, notes := range all {
		if a.verbose || notes.HasRemarks() || from == ingest.Auto && notes.Format != ingest.Trials {
			told = append(told, notes)
		}
	}
	a.noteEach(told)
}

// noteEach tells the notes of files, of many of them in sum.
func (a *App) noteEach(all []ingest.Notes) {
	single, rest := all, []ingest.Notes(nil)
	if len(single) > mostNoted {
		single, rest = split(all)
	}
	for _, n := range single {
		a.notice("note", "%s", n)
	}
	if len(rest) > 0 {
		a.notice("note", "%s", ingest.Sum(rest))
	}
}

// warn tells what somebody should know who trusts in it.
func (a *App) warn(warning string) { a.notice("warning", "%s", warning) }

// noteErrors tells how many trials of a history were left out. Such a trial neither passed
// nor failed, and a history is a count of those that did.
func (a *App) noteErrors(h runner.History) {
	if h.Errors > 0 {
		a.notice("warning", "%s: trials that ended in an error are left out, %d of %d",
			prose.FileName(h.File), h.Errors, h.Counts.Trials+h.Errors)
	}
}
