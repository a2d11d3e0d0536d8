package app

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// AddJournal adds a run to a store, with the trials of its journal and how its tests stopped them. Its key is of the
// journal: what is continued takes the place of what was there of it, and began when that did. It reports false
// where no trial has ended.
func AddJournal(
	ctx context.Context, s *store.Store, r store.Run, file string,
) (added store.AddResult, some bool, err error) {
	if r.Key, err = journalKey(file); err != nil || r.Key == "" {
		return added, false, err
	}
	stops, err := JournalStops(ctx, file)
	if err != nil {
		return added, false, err
	}
	r.Stops = stops
	// Of a run that is continued it is known when it began.
	if before, err := s.RunOfKey(ctx, r.Key); err != nil {
		return added, false, err
	} else if before != nil {
		r.Started = before.Started
	}
	added, err = s.Add(ctx, r, openJournal(file, 0).Trials(ctx))
	return added, err == nil, err
}

// openJournal returns all trials of a journal, with the fields that are asked for.
func openJournal(file string, fields trial.Fields) *ingest.Stream {
	return ingest.Open([]string{file}, ingest.Options{
		Options: trial.Options{Fields: fields, Unjudged: true}, From: "journal", AllVariants: true, AllowDuplicates: true,
	})
}

// journalKey names a run by what its journal says up to the end of its first trial: that holds when it was and what
// came of it, and stays however the run goes on. It is "" where no trial has ended.
func journalKey(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close() // opened for reading: nothing to lose
	lines := bufio.NewReader(f)
	var chain journal.Chain
	for {
		line, err := lines.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF):
			return "", nil
		case err != nil:
			return "", err
		}
		if err := chain.Add(line); err != nil {
			return "", err
		}
		l, err := journal.ParseLine(line)
		if err != nil {
			return "", err
		}
		if l.End != nil && l.End.Record != nil {
			return "journal " + chain.String(), nil
		}
	}
}

// IsJournal reports whether a file is the journal of a run.
func IsJournal(file string) bool {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close() // opened for reading: nothing to lose
	line, err := bufio.NewReader(io.LimitReader(f, journal.MaxLineBytes)).ReadBytes('\n')
	if err != nil || !bytes.HasPrefix(line, []byte(`{"header":`)) {
		return false
	}
	l, err := journal.ParseLine(line)
	return err == nil && l.Header != nil
}

// JournalStops says how the tests of a journal stopped its trials, as a store keeps it.
func JournalStops(ctx context.Context, file string) ([]recording.Stop, error) {
	stream := openJournal(file, trial.BasicFields)
	for _, err := range stream.Trials(ctx) {
		if err != nil {
			return nil, err
		}
	}
	return StopsToKeep(stream.Notes()), nil
}

// StopsToKeep is [Stops] as a store keeps it: of all variants, and without the files, which others do not have.
func StopsToKeep(notes []ingest.Notes) (list []recording.Stop) {
	for _, n := range notes {
		for _, t := range n.Sampled {
			s := stopOf("", t)
			s.Variant = t.Variant
			list = append(list, s)
		}
	}
	return list
}
