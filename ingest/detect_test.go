package ingest

import (
	"os"
	"path/filepath"
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
		`[]`:                                                  Trials,
		`{"Time":"2026-02-26T09:25:37Z","Action":"start","Package":"p"}`:       GoTest,
		`{"ImportPath":"p","Action":"build-output","Output":"x"}`:              GoTest,
		"go: downloading x v1\n" + `{"Action":"run","Package":"p","Test":"T"}`: GoTest,
		"# p\n./a.go:1:1: x\n" + `{"Action":"fail","Package":"p"}`:             GoTest,
		`{"resourceSpans":[{"resource":{"attr`:                                 OTLP,
		`{"resource_spans":[]}`:                                                OTLP,
		`[{"resourceLogs":[]}]`:                                                OTLP,
		`{"trace":{"id":"1","projectId":"p","timestamp":"x","observations":[{`: Langfuse,
		`[{"id":"1","timestamp":"x","projectId":"p","observations":[]}]`:       Langfuse,
		"scenario,outcome":                       CSV,
		"outcome;Scenario\n":                     CSV,
		"\"trial\",\"scenario\"\r\n1,a\r\n":      CSV,
		"id\tscenario\toutcome\n":                CSV,
		" scenario , outcome \n":                 CSV,
		"pass\nfail\n":                           Lines,
		"\n\nTrue\n":                             Lines,
		"0":                                      Lines,
		"1\r\n0\r\n":                             Lines,
		"ERROR\n":                                Lines,
		`<testsuite name="x">`:                   JUnit,
		"<?xml version=\"1.0\"?>\n<testsuites/>": JUnit,
	} {
		for _, prefix := range []string{text, zipped(t, text)} {
			if got, err := Detect([]byte(prefix)); got != want || err != nil {
				t.Errorf("%.60q: %v, %v, want %v", prefix, got, err, want)
			}
		}
	}
	for _, text := range []string{"", " \n", "hello", "a,b\n", "<xml/>", "a\x00b", "\x1f\x8b", "\xfe\xff\x00p", `{"a":1}`, `{"trace":{"id":"1"}}`, `{"resourceMetrics":[]}`, `{"schema":"tribunal/run/v1","verdict":"pass"}`, `"pass"`, "2\n", "pass fail\n"} {
		if got, err := Detect([]byte(text)); got != Auto || err == nil {
			t.Errorf("%q: %v, %v, want an error", text, got, err)
		}
	}
}

func TestDetectSamples(t *testing.T) {
	for name, want := range map[string]Format{"trials.jsonl": Trials, "table.csv": CSV, "lines.txt": Lines, "suites.xml": JUnit, "gotest.jsonl": GoTest, "otlp.jsonl": OTLP, "langfuse.json": Langfuse} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
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
	checkWritten(t, reading("scenario\toutcome\nx\tpass", Options{From: CSV}), `2 {"scenario":"x","outcome":"pass"}`)
	for text, from := range map[string]Format{"pass": JUnit, `{"scenario":"a","outcome":"pass"}`: GoTest, "scenario,outcome\na,pass": Lines, "1": CSV, "0": Trials, "a\x00": CSV} {
		if got, err := written(reading(text, Options{From: from})); err == nil {
			t.Errorf("%q is read as %v: %s", text, from, got)
		}
	}
}

func TestFormatNames(t *testing.T) {
	for f := Auto; f < formatEnd; f++ {
		if got, err := ParseFormat(f.String()); got != f || err != nil {
			t.Errorf("%v: %v, %v", f, got, err)
		}
	}
	for _, name := range []string{"", "xml", "Format(200)"} {
		if _, err := ParseFormat(name); err == nil || !strings.Contains(err.Error(), "the formats are auto, trials, csv, lines, junit, gotest") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if got := Format(200).String(); got != "Format(200)" {
		t.Errorf("an unknown format is %q", got)
	}
}
