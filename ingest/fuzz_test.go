package ingest

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tribunal-dev/tribunal/trial"
)

// seed adds the samples of a format, and more texts.
func seed(f *testing.F, format Format, more ...string) {
	f.Helper()
	for _, s := range ownSamples(f) {
		if s.format == format {
			f.Add(s.text)
		}
	}
	for _, m := range more {
		f.Add([]byte(m))
	}
}

// sound fails the test unless the text is read as trials that can be written, up
// to an error that names the file, in the same way however it comes.
func sound(t *testing.T, text []byte, from Format) {
	o := Options{From: from, AllowDuplicates: true, Options: trial.Options{File: "some file", MaxLineBytes: 1 << 16,
		PassScore: trial.Some(0.5), Unjudged: !slices.Contains(append(byText[:5:5], Auto, "journal"), from)}}
	want, wantErr := written(NewStream(bytes.NewReader(text), o))
	got, gotErr := written(NewStream(iotest.OneByteReader(bytes.NewReader(text)), o))
	if want != got || (wantErr == nil) != (gotErr == nil) || wantErr != nil && wantErr.Error() != gotErr.Error() {
		t.Fatalf("at once: %v\n%s\nbyte by byte: %v\n%s", wantErr, want, gotErr, got)
	}
	if wantErr == nil {
		if want == "" {
			t.Fatal("neither a trial nor an error")
		}
		return
	}
	if !errors.As(wantErr, new(*trial.FieldError)) && !errors.As(wantErr, new(*trial.SyntaxError)) &&
		!errors.As(wantErr, new(*trial.FileError)) && !errors.As(wantErr, new(*VariantError)) {
		t.Fatalf("%T: %v", wantErr, wantErr)
	}
	message := wantErr.Error()
	if !strings.Contains(message, "some file") || strings.ContainsAny(message, "\n\r\x1b") {
		t.Fatalf("%q", message)
	}
}

func FuzzCSV(f *testing.F) {
	seed(f, "csv", "scenario;passed\na;true\n", "scenario\tscore\n\"a\"\t1\n", "scenario,outcome\n\"a,pass\n")
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "csv") })
}

func FuzzLines(f *testing.F) {
	seed(f, "lines", "pass", "2")
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "lines") })
}

func FuzzJUnit(f *testing.F) {
	seed(f, "junit", `<testsuite><testcase name="a[trial1]"/>`,
		`<!DOCTYPE a [<!ENTITY b "c">]><testsuite><testcase name="&b;"/></testsuite>`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "junit") })
}

func FuzzGoTest(f *testing.F) {
	seed(f, "gotest", `{"Action":"fail","Package":"p"}`, `{"Action":"pass","Package":"p","Test":"T/a","Elapsed":1e300}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "gotest") })
}

// FuzzStream detects the format, too.
func FuzzStream(f *testing.F) {
	for _, name := range byText {
		seed(f, name)
	}
	f.Add([]byte(zipped(f, "pass\nfail\n")))
	f.Add([]byte(`[{"scenario":"a","outcome":"pass"}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if format, err := Detect(text); (err == nil) == (format == Auto) {
			t.Fatalf("%v, %v", format, err)
		}
		sound(t, text, Auto)
	})
}

// FuzzFormats reads any text as any format, so that none is left out.
func FuzzFormats(f *testing.F) {
	for _, s := range ownSamples(f) {
		f.Add(string(s.format), s.text)
	}
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		if formatOf(Format(name)) == nil {
			t.Skip("no format")
		}
		sound(t, text, Format(name))
	})
}
