package watching

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/listen"
	"github.com/tribunal-dev/tribunal/cmd/internal/monitor"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/door"
	"github.com/tribunal-dev/tribunal/internal/otlphttp"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// watch is a monitor at work.
type watch struct {
	Request
	app     *world.World
	reading ingest.Options

	mutex   sync.Mutex // of the monitor, whose figures are served beside
	monitor *monitor.Monitor

	file  *outfile.File // of the state; nil keeps none
	saved time.Time
	dirty bool     // something is not saved
	input position // in the file that is watched
	read  int      // trials of the file so far, those that were taken in before included

	token    string             // that clients tell; "" asks for none
	receiver *otlphttp.Receiver // nil without --otlp
	close    func()             // ends what is served
	traces   []string           // ids of the state, where none are received
	unread   int                // traces that could not be read
}

// How often what comes is looked for, and what is known is saved. Both are chosen.
const (
	lookEvery = 200 * time.Millisecond
	saveEvery = time.Second
)

// run watches until what is watched ends, or the command is to end.
func (w *watch) run(ctx context.Context) (err error) {
	over, end := w.length(ctx)
	defer end()
	if w.close, err = w.serve(); err != nil {
		return err
	}
	defer w.close()
	if err := w.announceAgain(ctx); err != nil {
		return err
	}
	switch {
	case len(w.Files) == 0:
		err = w.live(ctx, over, nil)
	case w.Files[0] == "-" || w.Follow:
		err = w.follow(ctx, over, w.Files[0])
	default:
		err = w.whole(ctx, w.Files[0])
	}
	if err == nil {
		err = w.input.ended(w.read)
	}
	// What came before an error was taken in, and stays so.
	if saved := w.save(ctx); err == nil {
		err = saved
	}
	return err
}

// length ends after the time of --for, or with the context.
func (w *watch) length(ctx context.Context) (over context.Context, end func()) {
	if w.For > 0 {
		return context.WithTimeout(ctx, w.For)
	}
	return context.WithCancel(ctx)
}

// whole reads a file to its end.
func (w *watch) whole(ctx context.Context, file string) error {
	w.input.begin(file)
	stream, trials := evidence.Open(ctx, w.app, []string{file}, w.reading, evidence.Counted)
	for t, err := range trials {
		if err != nil {
			return evidence.Naming("variant", err)
		}
		if err := w.take(ctx, t); err != nil {
			return err
		}
	}
	evidence.NoteFiles(w.app, stream.Notes(), w.reading.From)
	return nil
}

// follow reads standard input, or a file as it grows.
func (w *watch) follow(ctx, over context.Context, file string) error {
	w.input.begin(file)
	texts, problem := make(chan []byte), make(chan error, 1)
	source, err := w.open(over, file)
	if err != nil {
		return err
	}
	defer source.Close()
	go func() {
		problem <- readBlocks(over, source, texts)
		close(texts)
	}()
	lines := &lineReader{name: prose.FileName(file), options: w.reading, follow: w.Follow,
		take: func(name string, text []byte, from ingest.Format) error { return w.takeText(ctx, name, text, from) }}
	if err := w.live(ctx, over, func() (chan []byte, *lineReader) { return texts, lines }); err != nil {
		return err
	}
	if over.Err() != nil {
		return nil
	}
	if err := <-problem; err != nil {
		return err
	}
	return lines.end()
}

// live takes in what comes until the context ends, or the lines do.
func (w *watch) live(ctx, over context.Context, reading func() (chan []byte, *lineReader)) error {
	var texts chan []byte
	var lines *lineReader
	if reading != nil {
		texts, lines = reading()
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-over.Done():
			w.close() // so that nothing is acknowledged that is not taken in
			if err := w.takeTraces(ctx, true); err != nil {
				return err
			}
			return listen.EndOf(ctx)
		case text, more := <-texts:
			if !more {
				return nil
			}
			if err := lines.add(text); err != nil {
				return err
			}
		case <-tick.C:
			if err := w.takeTraces(ctx, false); err != nil {
				return err
			}
		}
		if err := w.saveNow(ctx); err != nil {
			return err
		}
	}
}

// takeTraces takes in the traces that have come, whole ones or all.
func (w *watch) takeTraces(ctx context.Context, all bool) error {
	if w.receiver == nil {
		return nil
	}
	traces := w.receiver.Whole(time.Now())
	if all {
		traces = append(traces, w.receiver.All()...)
	}
	for _, t := range traces {
		w.dirty = true
		// One trace that cannot be read ends no monitor.
		if err := w.takeText(ctx, "trace "+t.ID, t.Text, "otlp"); err != nil {
			if problem.Is[*trial.FileError](err) || problem.Is[*trial.FieldError](err) || problem.Is[*trial.SyntaxError](err) {
				w.unread++
				continue
			}
			return err
		}
	}
	return nil
}

// takeText takes in the trials of a text. It is read to its end, also after a signal.
func (w *watch) takeText(ctx context.Context, name string, text []byte, from ingest.Format) error {
	o := w.reading
	o.File, o.From = name, from
	o.AllowDuplicates = true // of one text only they would be seen
	for t, err := range ingest.NewStream(bytes.NewReader(text), o).Trials(context.WithoutCancel(ctx)) {
		if err != nil {
			return evidence.Naming("variant", err)
		}
		if err := w.take(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// take takes one trial in, unless it was before, and tells of alarms.
func (w *watch) take(ctx context.Context, t *trial.Trial) error {
	w.read++
	before, err := w.input.next(t)
	if err != nil {
		return err
	}
	w.mutex.Lock()
	if before {
		w.monitor.Recall(t)
		w.mutex.Unlock()
		return nil
	}
	w.dirty = true
	alarms, err := w.monitor.Add(ctx, t)
	w.mutex.Unlock()
	if err != nil {
		if e, ok := errors.AsType[*monitor.StreamsError](err); ok {
			return problem.BadInput(e.Message(), "divide the trials by what has few values: --by suite, or --by tag:NAME")
		}
		return err
	}
	if len(alarms) == 0 {
		return w.saveNow(ctx)
	}
	// It is known before anybody is told: who is killed in between tells of it again, and counts nothing twice.
	if err := w.save(ctx); err != nil {
		return err
	}
	for _, alarm := range alarms {
		if err := w.tell(ctx, alarm); err != nil {
			return err
		}
	}
	return w.save(ctx)
}

// serve opens the addresses that are asked for.
func (w *watch) serve() (end func(), err error) {
	var ends []func()
	end = func() {
		for _, e := range ends {
			e()
		}
	}
	open := func(flag, address string, rules door.Rules, mux *http.ServeMux) error {
		if address == "" {
			return nil
		}
		at, closing, err := serveAt(address, rules, mux)
		if err != nil {
			return problem.Unavailable(fmt.Sprintf("%s %s cannot be served: %v", flag, address, err),
				"choose another port; 0 is a free one")
		}
		w.app.Notice("note", "%s is at %s", flag, at)
		ends = append(ends, closing)
		return nil
	}
	if w.receiver != nil {
		mux := http.NewServeMux()
		mux.Handle("/v1/traces", w.receiver)
		if err := open("--otlp", w.OTLP, door.Rules{Token: w.token}, mux); err != nil {
			return end, err
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", w.metrics)
	figures := door.Rules{Token: w.token}
	if w.token == "" {
		figures.Secret = door.NewSecret()
	}
	if err := open("--listen", w.Listen, figures, mux); err != nil {
		end()
		return func() {}, err
	}
	return end, nil
}
