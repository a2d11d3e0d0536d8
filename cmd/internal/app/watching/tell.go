package watching

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/monitor"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report"
)

// eventSchema is that of the lines of --json, and of what is posted to --webhook.
const eventSchema = "tribunal/monitor-event/v1"

// alarmEvent is an alarm as JSON.
type alarmEvent struct {
	Schema string `json:"schema"`
	Event  string `json:"event"` // "alarm"
	*monitor.Alarm
}

// statusEvent is the last line of --json.
type statusEvent struct {
	Schema   string `json:"schema"`
	Event    string `json:"event"` // "status"
	ExitCode int    `json:"exit_code"`
	Enough   bool   `json:"enough"` // some stream has trials enough for its silence to mean anything
	Unread   int    `json:"unread"` // traces that could not be read
	monitor.Status
}

// announceAgain tells of alarms that were found and of which nobody was told, as the monitor was ended in between.
func (w *watch) announceAgain(ctx context.Context) error {
	told := false
	for _, alarm := range w.monitor.Alarms() {
		if alarm.Told {
			continue
		}
		told = true
		if err := w.tell(ctx, alarm); err != nil {
			return err
		}
	}
	if !told {
		return nil
	}
	return w.save(ctx)
}

// tell prints an alarm, and posts it. One that could not be posted is posted when the monitor starts again.
func (w *watch) tell(ctx context.Context, alarm *monitor.Alarm) error {
	w.dirty = true
	text := []byte(alarmText(alarm, w.screen().Width))
	event := *alarm
	event.Told = true // by this
	line, err := json.Marshal(alarmEvent{eventSchema, "alarm", &event})
	if err != nil {
		return err
	}
	if w.JSON {
		text = append(bytes.Clone(line), '\n')
	}
	if _, err := w.app.Out.Write(text); err != nil {
		return err
	}
	if w.Webhook != "" {
		if err := post(ctx, w.Webhook, line); err != nil {
			w.app.Warn(fmt.Sprintf("the alarm of %s could not be posted, and is posted when the monitor starts again with this "+
				"state: %v", alarm.Stream, err))
			return nil
		}
	}
	w.mutex.Lock()
	alarm.Told = true
	w.mutex.Unlock()
	return nil
}

func (w *watch) screen() world.Screen {
	return world.NewScreen(w.app.Out.Stream, w.app.Env, w.app.TerminalWidth)
}

// How an alarm is posted: so often, each with so much time. Both are chosen.
const (
	postings    = 3
	postingTime = 10 * time.Second
)

// post posts JSON. What the other side may get over is tried again.
func post(ctx context.Context, address string, text []byte) (err error) {
	client := &http.Client{Timeout: postingTime}
	for i := range postings {
		if i > 0 {
			select {
			case <-time.After(time.Duration(i) * time.Second / 2):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		var again bool
		if again, err = postOnce(ctx, client, address, text); err == nil || !again {
			return err
		}
	}
	return err
}

func postOnce(ctx context.Context, client *http.Client, address string, text []byte) (again bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(text))
	if err != nil {
		return false, err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		// The address may hold a secret.
		if e, ok := err.(*url.Error); ok {
			err = e.Err
		}
		return true, err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<16)) // so that the connection can be used again
	if answer.StatusCode/100 == 2 {
		return false, nil
	}
	again = answer.StatusCode >= 500 || answer.StatusCode == http.StatusTooManyRequests
	return again, fmt.Errorf("the answer is %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
}

// measureWords are what measures are called.
var measureWords = map[monitor.Measure]string{
	monitor.PassRate: "pass rate", monitor.Cost: "cost", monitor.Turns: "turns", monitor.Steps: "steps",
	monitor.Duration: "duration", monitor.Distance: "distance of the fingerprint",
}

// alarmText is an alarm for a person.
func alarmText(a *monitor.Alarm, width int) string {
	var b strings.Builder
	line := func(name, format string, arguments ...any) {
		start := fmt.Sprintf("  %-9s ", name)
		for _, text := range table.Wrap(fmt.Sprintf(format, arguments...), max(20, width-len(start))) {
			fmt.Fprintf(&b, "%s%s\n", start, text)
			start = strings.Repeat(" ", len(start))
		}
	}
	what := measureWords[a.Measure] + " rose"
	if a.Measure == monitor.PassRate {
		what = "pass rate fell"
	}
	fmt.Fprintf(&b, "ALARM  %s: %s\n", prose.Printable(a.Stream), what)
	line("found", "at trial %d, %s: the statistic is %s, and %s raises an alarm", a.Trial, prose.Printable(a.Place),
		whole(a.Evidence), whole(a.Limit))
	line("changed", "at trial %d most likely, and at trial %d at the latest", a.Likely, a.Latest)
	if a.Baseline != nil {
		line("baseline", "%d/%d; lower limit of the rate %.4f", a.Baseline.Passes, a.Baseline.Trials, a.Lower)
	}
	if a.Since != nil && a.Since.Trials > 0 {
		line("since", "%d of %d passed", a.Since.Passes, a.Since.Trials)
	}
	if m := a.Moved; m != nil {
		switch {
		case len(m.Columns) > 0:
			line("moved", "%s", prose.Printable(strings.Join(m.Columns, "; ")))
		default:
			line("moved", "no tool, count or cost, as far as %d trials against %d show", m.Since, m.Before)
		}
		if len(m.New) > 0 {
			line("new tools", "%s", prose.Printable(prose.Some(m.New, 8)))
		}
		if len(m.Gone) > 0 {
			line("gone", "%s", prose.Printable(prose.Some(m.Gone, 8)))
		}
	}
	return b.String()
}

// conclude prints what is known at the end, and ends with the verdict.
func (w *watch) conclude(ctx context.Context) error {
	w.mutex.Lock()
	status, enough := w.monitor.Status(), w.monitor.Enough()
	alarms := w.monitor.Alarms()
	w.mutex.Unlock()
	code := exit.Pass
	switch {
	case len(alarms) > 0:
		code = exit.Fail
	case !enough:
		code = exit.Inconclusive
	}
	ctx = context.WithoutCancel(ctx)
	var err error
	if w.JSON {
		err = w.app.Deliver(ctx, nil, func(to io.Writer) error {
			return json.NewEncoder(to).Encode(statusEvent{eventSchema, "status", code, enough, w.unread, status})
		})
	} else {
		err = new(deliver.Target).Show(ctx, w.app, nil, statusDocument(status, code, w.unread))
	}
	if err != nil {
		return err
	}
	return problem.VerdictError(code)
}

// statusDocument is the streams as a table, and what is promised.
func statusDocument(s monitor.Status, code, unread int) *report.Document {
	d := new(report.Document).Listing("", "streams", nil)
	t := d.NewTable("Streams", "stream", "watched", "detector", ">trials", ">evidence", ">alarm at", "rate, 95 %",
		"state").Names(8, "stream").Dropping("detector")
	inAlarm := 0
	for _, stream := range s.Streams {
		for _, m := range stream.Measures {
			rate, state := "", "no alarm"
			if m.Rate != nil {
				rate = fmt.Sprintf("%.2f to %.2f", m.Rate.Low, m.Rate.High)
			}
			if m.Alarm != nil {
				inAlarm++
				state = fmt.Sprintf("ALARM at %d", m.Alarm.Trial)
			}
			t.Add(stream.Name, m.Measure, m.Detector, whole(float64(m.Trials)), whole(m.Evidence), whole(m.Limit), rate, state)
		}
	}
	state := "No alarm"
	switch code {
	case exit.Fail:
		state = fmt.Sprintf("%d of %s in alarm", inAlarm, prose.Count(s.Detectors, "detector"))
	case exit.Inconclusive:
		state = fmt.Sprintf("Not enough trials: no stream has %d", monitor.FewestTrials)
	}
	d.Close(state + ". " + promise(s, unread))
	return d
}

// promise says how often a false alarm comes, and what was left out.
func promise(s monitor.Status, unread int) string {
	text := fmt.Sprintf("While nothing changes a false alarm comes once in %s trials of each stream on average, at most",
		whole(s.RunLength))
	if s.PerMonth != nil {
		text += fmt.Sprintf(": %.2g a month at %s trials a day", *s.PerMonth, whole(*s.PerDay))
	}
	text += "."
	for _, left := range []struct {
		count int
		what  string
	}{{s.Errors, "ended in an error and count for nothing"}, {s.Unjudged, "have no outcome"}} {
		if left.count > 0 {
			text += fmt.Sprintf(" %s %s.", prose.Count(left.count, "trial"), left.what)
		}
	}
	if unread > 0 {
		text += fmt.Sprintf(" %s could not be read.", prose.Count(unread, "trace"))
	}
	return text
}

// whole writes a number with thousands apart, to a whole number.
func whole(x float64) string {
	digits := strconv.FormatFloat(x, 'f', 0, 64)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}
