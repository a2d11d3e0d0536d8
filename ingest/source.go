package ingest

import (
	"context"
	"iter"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// stored is the format of trials that come from a [Source]; it is not listed, and cannot be asked for by name.
const stored Format = "store"

// Source is where trials come from that are in no file, such as a store of them.
type Source interface {
	// Trials hands out the trials in the order in which they count, with the fields that are asked for; 0 is all. Each is
	// valid until the next one is asked for.
	Trials(ctx context.Context, fields trial.Fields) iter.Seq2[*trial.Trial, error]
	// Sampled says how tests gathered them, once all were handed out; nil where nothing says so.
	Sampled() []Sampling
}

// sourcesKey is that of the function in a context which finds sources.
type sourcesKey struct{}

// WithSources returns a context in which a [Stream] asks a function about each name before it opens a file: what the
// function returns is read in its place. It returns nil for the name of a file.
func WithSources(ctx context.Context, find func(ctx context.Context, name string) (Source, error)) context.Context {
	return context.WithValue(ctx, sourcesKey{}, find)
}

// sourceOf returns the source that a name stands for; nil is a file.
func sourceOf(ctx context.Context, name string) (Source, error) {
	if find, ok := ctx.Value(sourcesKey{}).(func(context.Context, string) (Source, error)); ok {
		return find(ctx, name)
	}
	return nil, nil
}

// readSource hands out the trials of a source, as those of a file.
func (s *Stream) readSource(
	ctx context.Context, from Source, name string, between *acrossFiles, admit func(*trial.Trial) error,
) error {
	file := &fileReading{file: name, options: s.options, admit: admit, numbers: between.numbers, memory: s.memory}
	file.format = &format{name: stored, decoder: record.Decoder{Read: func(in *record.Input) error {
		for t, err := range from.Trials(ctx, in.Options.Records.Fields) {
			if err != nil {
				return err
			}
			if err := in.Emit(t, in.Options.Numbered); err != nil {
				return err
			}
		}
		in.Notes.SampledBy(from.Sampled())
		return nil
	}}}
	s.files = append(s.files, file)
	in := &record.Input{File: name, Options: file.options.forDecoders(name, s.memory), Notes: &file.notes, Sink: file,
		Memory: s.memory}
	err := file.format.decoder.Read(in)
	if file.trials == 0 {
		err = file.withoutScenario(err)
	}
	if err == nil && file.trials+len(file.notes.Omissions) == 0 {
		return file.noTrials()
	}
	return asUnjudged(err)
}
