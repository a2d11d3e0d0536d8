package ingest

import (
	"os"
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	for text, want := range map[string]Format{
		`{"scenario":"a","outcome":"pass"}`:                   Trials,
		"\ufeff\n " + `{"scenario":"a","outcome":"pass"}`:     Trials,
		`{"Scenario":"a"}`:                                    Trials,
		`{"steps":[{"action":"` + strings.Repeat("x", 70_000): Trials,
		`{"scenario":"a","outco`:                              Trials,
		`{'scenario':'a'}`:                                    Trials,
		`{`:                                                   Trials,
		"[\n {\"scenario\":\"a\"}]":                           Trials,
		`{"Time":"2026-02-26T09:25:37Z","Action":"start","Package":"p"}`:       "gotest",
		`{"ImportPath":"p","Action":"build-output","Output":"x"}`:              "gotest",
		"go: downloading x v1\n" + `{"Action":"run","Package":"p","Test":"T"}`: "gotest",
		"# p\n./a.go:1:1: x\n" + `{"Action":"fail","Package":"p"}`:             "gotest",
		`{"resourceSpans":[{"resource":{"attr`:                                 "otlp",
		`{"resource_spans":[]}`:                                                "otlp",
		`[{"resourceLogs":[]}]`:                                                "otlp",
		`{"trace":{"id":"1","projectId":"p","timestamp":"x","observations":[{`: "langfuse",
		`[{"id":"1","timestamp":"x","projectId":"p","observations":[]}]`:       "langfuse",
		"scenario,outcome":                       "csv",
		"outcome;Scenario\n":                     "csv",
		"\"trial\",\"scenario\"\r\n1,a\r\n":      "csv",
		"id\tscenario\toutcome\n":                "csv",
		" scenario , outcome \n":                 "csv",
		"pass\nfail\n":                           "lines",
		"\n\nTrue\n":                             "lines",
		"0":                                      "lines",
		"1\r\n0\r\n":                             "lines",
		"ERROR\n":                                "lines",
		`<testsuite name="x">`:                   "junit",
		"<?xml version=\"1.0\"?>\n<testsuites/>": "junit",
	} {
		for _, prefix := range []string{text, zipped(t, text)} {
			if got, err := Detect([]byte(prefix)); got != want || err != nil {
				t.Errorf("%.60q: %v, %v, want %v", prefix, got, err, want)
			}
		}
	}
	for _, text := range []string{"", " \n", "hello", "a,b\n", "<xml/>", "a\x00b", "\x1f\x8b", "\xfe\xff\x00p", `{"a":1}`,
		`{}`, `[]`, `{"trace":{"id":"1"}}`, `{"resourceMetrics":[]}`, `{"schema":"tribunal/run/v1","verdict":"pass"}`,
		`"pass"`, "2\n", "pass fail\n"} {
		if got, err := Detect([]byte(text)); got != Auto || err == nil {
			t.Errorf("%q: %v, %v, want an error", text, got, err)
		}
	}
}

func TestDetectSamples(t *testing.T) {
	for name, want := range map[string]Format{"trials": Trials, "csv": "csv", "lines": "lines", "junit": "junit",
		"gotest": "gotest", "otlp": "otlp", "langfuse": "langfuse"} {
		text, err := os.ReadFile(ownSample(name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Detect(text); got != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", name, got, err, want)
		}
	}
}

// The format given wins over the content.
func TestFrom(t *testing.T) {
	checkWritten(t, streamOf("scenario\toutcome\nx\tpass", Options{From: "csv"}), `2 {"scenario":"x","outcome":"pass"}`)
	for text, from := range map[string]Format{"pass": "junit", `{"scenario":"a","outcome":"pass"}`: "gotest",
		"scenario,outcome\na,pass": "lines", "1": "csv", "0": Trials, "a\x00": "csv"} {
		if got, err := written(streamOf(text, Options{From: from})); err == nil {
			t.Errorf("%q is read as %v: %s", text, from, got)
		}
	}
}

func TestFormatNames(t *testing.T) {
	for _, name := range FormatNames() {
		if got, err := ParseFormat(strings.ToUpper(name)); got.String() != name || err != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "xml", "Format(200)", "junit "} {
		if _, err := ParseFormat(name); err == nil ||
			!strings.Contains(err.Error(), "the formats are auto, trials, csv, lines, junit, ") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if got := FormatNames(); got[0] != "auto" || len(got) != 1+len(formats) {
		t.Errorf("the names are %q", got)
	}
}
