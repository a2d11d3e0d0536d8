package watching

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/monitor"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/internal/door"
)

// serveAt serves programs at an address until it is ended, those alone that the rules let in. What it returns has the
// secret, where there is one.
func serveAt(address string, rules door.Rules, handler http.Handler) (at string, end func(), err error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return "", nil, err
	}
	rules.Programs = true
	at = "http://" + listener.Addr().String()
	if rules.Secret != "" {
		at += "/" + rules.Secret
	}
	server := door.Server(rules.Guard(listener.Addr(), handler))
	server.ReadTimeout, server.WriteTimeout = time.Minute, time.Minute
	go server.Serve(listener) // it ends with the server
	return at, func() { door.End(server, session.Patience) }, nil
}

// metrics answers with the figures of all streams, as Prometheus reads them (exposition format 0.0.4).
func (w *watch) metrics(to http.ResponseWriter, _ *http.Request) {
	w.mutex.Lock()
	status := w.monitor.Status()
	w.mutex.Unlock()
	to.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	fmt.Fprint(to, metricsText(status)) // who does not read it asks again
}

// metric is one family of figures.
type metric struct {
	name, kind, help string
	value            func(monitor.MeasureStatus) (float64, bool)
}

var monitorMetrics = []metric{
	{"tribunal_monitor_trials_total", "counter", "Trials watched since the last baseline.",
		func(m monitor.MeasureStatus) (float64, bool) { return float64(m.Trials), true }},
	{"tribunal_monitor_evidence", "gauge", "Evidence of a change.",
		func(m monitor.MeasureStatus) (float64, bool) { return m.Evidence, true }},
	{"tribunal_monitor_evidence_limit", "gauge", "Evidence at which there is an alarm.",
		func(m monitor.MeasureStatus) (float64, bool) { return m.Limit, true }},
	{"tribunal_monitor_alarm", "gauge", "1 while the stream is in alarm, else 0.",
		func(m monitor.MeasureStatus) (float64, bool) {
			if m.Alarm != nil {
				return 1, true
			}
			return 0, true
		}},
	{"tribunal_monitor_pass_rate_low", "gauge", "Lower limit of the pass rate, at all times at once at 95 %.",
		func(m monitor.MeasureStatus) (float64, bool) {
			if m.Rate == nil {
				return 0, false
			}
			return m.Rate.Low, true
		}},
	{"tribunal_monitor_pass_rate_high", "gauge", "Upper limit of the pass rate, likewise.",
		func(m monitor.MeasureStatus) (float64, bool) {
			if m.Rate == nil {
				return 0, false
			}
			return m.Rate.High, true
		}},
}

func metricsText(s monitor.Status) string {
	var b strings.Builder
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	for _, metric := range monitorMetrics {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", metric.name, metric.help, metric.name, metric.kind)
		for _, stream := range s.Streams {
			for _, m := range stream.Measures {
				if x, ok := metric.value(m); ok {
					fmt.Fprintf(&b, "%s{stream=%s,measure=\"%s\"} %s\n", metric.name, label(stream.Name), m.Measure, number(x))
				}
			}
		}
	}
	fmt.Fprintf(&b, "# HELP tribunal_monitor_run_length Trials of a stream to a false alarm that are promised.\n"+
		"# TYPE tribunal_monitor_run_length gauge\ntribunal_monitor_run_length %s\n", number(s.RunLength))
	return b.String()
}

// label writes the value of a label. Bytes that are no UTF-8, and what does not print, are replaced.
func label(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r == 0x7f {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}
