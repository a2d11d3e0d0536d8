package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
)

// written returns the trials of a stream, one a line: the line of the file where
// each was read, and the trial as package trial writes it.
func written(s *Stream) (string, error) {
	var b strings.Builder
	for x, err := range s.Trials(context.Background()) {
		if err != nil {
			return b.String(), err
		}
		line, err := trial.Append(nil, x)
		if err != nil {
			return b.String(), fmt.Errorf("a trial that cannot be written was handed out: %w", err)
		}
		fmt.Fprintf(&b, "%d %s\n", x.Place.Line, line)
	}
	return b.String(), nil
}

func checkWritten(t *testing.T, s *Stream, want string) {
	t.Helper()
	got, err := written(s)
	if err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(want), "\n"),
		strings.Split(strings.TrimSpace(got), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func checkNotes(t *testing.T, s *Stream, want ...string) {
	t.Helper()
	var got []string
	for _, n := range s.Notes() {
		got = append(got, n.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// file writes a file for a test and returns its name.
func file(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func zipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func streamOf(text string, o Options) *Stream {
	o.File = "f"
	return NewStream(strings.NewReader(text), o)
}

func TestTrials(t *testing.T) {
	s := Open([]string{ownSample("trials")}, Options{Options: trial.Options{Fields: trial.BasicFields}})
	checkWritten(t, s, `
1 {"scenario":"refund","trial":0,"variant":"base","outcome":"pass","cost_usd":0.01}
2 {"scenario":"refund","trial":1,"variant":"base","outcome":"fail"}
3 {"scenario":"cancel","trial":0,"variant":"base","outcome":"error","error":{"origin":"infrastructure","type":"timeout"}}`)
}

func TestSeveralFiles(t *testing.T) {
	lines := file(t, "lines.txt", "pass\nfail\n")
	table := file(t, "table.csv.gz", zipped(t, "scenario,outcome\nall,pass\n"))
	s := Open([]string{lines, "-", table}, Options{Stdin: strings.NewReader(`{"scenario":"all","outcome":"error"}`)})
	checkWritten(t, s, `
1 {"scenario":"all","outcome":"pass"}
2 {"scenario":"all","outcome":"fail"}
1 {"scenario":"all","outcome":"error"}
2 {"scenario":"all","outcome":"pass"}`)
	checkNotes(t, s, lines+": 2 trials (lines)", "standard input: 1 trial (trials)", table+": 1 trial (csv)")
}

// Numbers that a format does not record go on from file to file, so that the
// reports of several runs are no duplicates.
func TestNumbersGoOnFromFileToFile(t *testing.T) {
	report := `<testsuite><testcase classname="a" name="b" time="1"/></testsuite>`
	s := Open([]string{file(t, "1.xml", report), file(t, "2.xml", strings.Replace(report, "1", "2", 1))}, Options{})
	checkWritten(t, s, `
1 {"scenario":"a.b","trial":0,"outcome":"pass","duration_s":1}
1 {"scenario":"a.b","trial":1,"outcome":"pass","duration_s":2}`)
}

func TestSmallReads(t *testing.T) {
	for _, name := range []string{"trials", "csv", "lines", "junit", "gotest"} {
		text, err := os.ReadFile(ownSample(name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := written(NewStream(bytes.NewReader(text), Options{}))
		if err != nil {
			t.Fatal(err)
		}
		mark := "\ufeff" + string(text)
		for i, r := range []io.Reader{
			iotest.OneByteReader(bytes.NewReader(text)), iotest.DataErrReader(bytes.NewReader(text)),
			strings.NewReader(zipped(t, string(text))), strings.NewReader(mark), strings.NewReader(zipped(t, mark)),
		} {
			got, err := written(NewStream(r, Options{}))
			if err != nil {
				t.Errorf("%s, reader %d: %v", name, i, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, reader %d (-want +got):\n%s", name, i, diff)
			}
		}
	}
}

const twoVariants = `{"scenario":"s","variant":"base","outcome":"pass","trial":0}
{"scenario":"s","variant":"base","outcome":"pass","trial":1}
{"scenario":"s","variant":"next","outcome":"fail","trial":0}
{"scenario":"s","outcome":"fail","trial":0}
`

func TestVariants(t *testing.T) {
	_, err := written(streamOf(twoVariants, Options{}))
	want := `f:3: the trials are of several variants: "base", "next", one without a name; choose one with Variant`
	if e, ok := errors.AsType[*VariantError](err); !ok || e.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}

	s := streamOf(twoVariants, Options{Variant: "next"})
	checkWritten(t, s, `3 {"scenario":"s","trial":0,"variant":"next","outcome":"fail"}`)
	checkNotes(t, s, "f: 1 trial (trials); left out: trials of other variants (3)")

	_, err = written(streamOf(twoVariants, Options{Variant: "nxt"}))
	want = `no trial is of the variant "nxt"; the variants are "base", "next", one without a name`
	if e, ok := errors.AsType[*VariantError](err); !ok || e.Error() != want || e.Requested != "nxt" {
		t.Errorf("got %v, want %s", err, want)
	}

	// Variants are told apart across files too, and a broken end does not hide them.
	broken := file(t, "b.jsonl", `{"scenario":"s","variant":"next","outcome":"fail"}`+"\n{")
	_, err = written(Open([]string{ownSample("trials"), broken}, Options{}))
	want = broken + `:1: the trials are of several variants: "base", "next"; choose one with Variant`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestManyVariants(t *testing.T) {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, `{"scenario":"s","variant":"\u001b%d","outcome":"pass"}`+"\n", i)
	}
	_, err := written(streamOf(b.String(), Options{}))
	want := `f:2: the trials are of several variants: "\\x1b0", "\\x1b1", "\\x1b2", "\\x1b3", "\\x1b4", "\\x1b5", "\\x1b6", "\\x1b7", and 92 more; choose one with Variant`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestDuplicates(t *testing.T) {
	text := "{\"scenario\":\"x\",\"trial\":3,\"outcome\":\"pass\"}\n\n{\"scenario\":\"x\",\"trial\":3,\"outcome\":\"fail\"}\n"
	_, err := written(streamOf(text, Options{}))
	want := `f:3: trial 3 of scenario "x" is on line 1 and again on line 3; drop one, or let both count with AllowDuplicates; of runs that are each numbered anew, count the trials with TrialRule`
	if e, ok := errors.AsType[*trial.DuplicateError](err); !ok || e.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	checkWritten(t, streamOf(text, Options{AllowDuplicates: true}), `
1 {"scenario":"x","trial":3,"outcome":"pass"}
3 {"scenario":"x","trial":3,"outcome":"fail"}`)

	one, two := file(t, "one.jsonl", text[:45]), file(t, "two.csv", "scenario,trial,outcome\nx,3,fail\n")
	_, err = written(Open([]string{one, two}, Options{}))
	want = fmt.Sprintf(`%s:2: trial 3 of scenario "x" is on line 1 of %s and again on line 2 of %s; drop one, or let both count with AllowDuplicates; of runs that are each numbered anew, count the trials with TrialRule`, two, one, two)
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	// A duplicate in a variant that is not read does not matter.
	checkWritten(t, streamOf(text+`{"scenario":"x","variant":"v","trial":3,"outcome":"fail"}`, Options{Variant: "v"}), `
4 {"scenario":"x","trial":3,"variant":"v","outcome":"fail"}`)
}

func TestFilesThatCannotBeRead(t *testing.T) {
	folder := t.TempDir()
	missing := filepath.Join(folder, "no.jsonl")
	whole := zipped(t, strings.Repeat(`{"scenario":"a","outcome":"pass"}`+"\n", 5000))
	for _, c := range []struct {
		name, want string
		is         error
	}{
		{missing, " does not exist; check the name; - reads standard input", fs.ErrNotExist},
		{folder, " is a directory; name the files in it, such as " + folder +
			"/*.jsonl, or what tribunal import makes of them", nil},
		{file(t, "a", ""), " is empty; was the program that wrote it stopped?", nil},
		{file(t, "a", "\n \r\n\t\n"), " is empty; was the program that wrote it stopped?", nil},
		{file(t, "a", "\ufeff\n"), " is empty; was the program that wrote it stopped?", nil},
		{file(t, "a.gz", zipped(t, "")), " is empty; was the program that wrote it stopped?", nil},
		{file(t, "a.gz", whole[:len(whole)/2]),
			" is a gzip file that is cut off; was the copy or the program that wrote it stopped?", io.ErrUnexpectedEOF},
		{file(t, "a.gz", whole[:7]), " is a gzip file that is cut off; was the copy or the program that wrote it stopped?",
			io.ErrUnexpectedEOF},
		{file(t, "a", "PK\x03\x04\x00\x00"),
			" is a zip archive, and no log of Inspect; unpack it with unzip, and name the folder", nil},
		{file(t, "a", "\xff\xfep\x00a\x00s\x00s\x00"), " is UTF-16 text; save it as UTF-8", nil},
		{file(t, "a", "hello world\n"),
			` is in no format known: it begins with "hello world"; name the format with From; FormatNames lists them`, nil},
		{file(t, "a", "booking,pass\n"),
			` looks like CSV without a header: its first line, "booking,pass", has no column scenario; begin it with a line that names the columns, such as scenario,outcome`, nil},
		{file(t, "a", "1;pass\n2;fail\n"),
			` looks like CSV without a header: its first line, "1;pass", has no column scenario; begin it with a line that names the columns, such as scenario;outcome`, nil},
		{file(t, "a", "2\t\n3\t\n"), ` looks like CSV without a header: its first line, "2", has no column scenario; begin it ` +
			"with a line that names the columns, such as outcome\tscenario", nil},
		{file(t, "a", "x,ok\nx,fail\n"),
			` looks like CSV without a header: its first line, "x,ok", has no column scenario; begin it with a line that names the columns, such as scenario,outcome`, nil},
		{file(t, "a", "a,3,1\nb,4,0\n"),
			` looks like CSV without a header: its first line, "a,3,1", has no column scenario; begin it with a line that names the columns, such as scenario,column2,outcome`, nil},
		{file(t, "a", "import a, b, c\nfrom x import d, e, f\nrun(a, b, c)\n"),
			` is in no format known: it looks like source code, with the line "import a, b, c"; name what the program wrote in place of the program; FormatNames lists the formats`, nil},
		{file(t, "a", "a, b, c\ndef f(a, b, c):\nf(1, 2, 3)\n"),
			` is in no format known: it looks like source code, with the line "def f(a, b, c):"; name what the program wrote in place of the program; FormatNames lists the formats`, nil},
		{file(t, "a", "const a = 1, b = 2;\nf(a, b)\n"),
			` is in no format known: it looks like source code, with the line "const a = 1, b = 2;"; name what the program wrote in place of the program; FormatNames lists the formats`, nil},
		{file(t, "a", "test,result\nx,great\nx,poor\n"),
			` is a table whose first line, "test,result", has no column scenario; add Map '{scenario: test, outcome: {path: result, pass: [...], fail: [...]}}', with its words "great", "poor" in place of the dots`, nil},
		{file(t, "a", "scenario,outcome\n"), " has a header and no rows; was the program that wrote it stopped?", nil},
		{file(t, "a", "<html></html>"),
			" is XML, but no report of tests: it has no testsuite; FormatNames lists the formats", nil},
		{file(t, "a", "<testsuites/>"), " holds no testcase; did the tests run?", nil},
		{file(t, "a", `<testsuite><testcase name="x"><skipped/></testcase></testsuite>`),
			" holds no trials: every record was skipped (1); did anything run?", nil},
		{file(t, "a", `{"Action":"start","Package":"p"}`),
			" holds no test that ran; did the tests run? A package without tests has none", nil},
		{file(t, "a", `{"colours":[]}`),
			" is JSON of no format known: its first object has the fields colours; a trial needs scenario and outcome; From " +
				"names another format", nil},
		{file(t, "a", `[{"a":1,"b":{"c":[2]},"d":3,"e":4,"f":5,"g":6}]`),
			" is JSON of no format known: its first object has the fields a, b, d, e, f, …; a trial needs scenario and " +
				"outcome; From names another format", nil},
		{file(t, "a", `[]`), " is JSON of no format known: it holds an empty array, where a record would be an object; a " +
			"trial needs scenario and outcome; From names another format", nil},
	} {
		_, err := written(Open([]string{c.name}, Options{}))
		if want := c.name + c.want; err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		if e, ok := errors.AsType[*trial.FileError](err); !ok || e.File != c.name {
			t.Errorf("%s: %T", c.want, err)
		}
		if c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%v is not %v", err, c.is)
		}
	}
	if _, err := written(Open(nil, Options{})); err == nil {
		t.Error("a stream of no files is no error")
	}
	_, err := written(Open([]string{"-"}, Options{Stdin: iotest.ErrReader(errors.New("unplugged"))}))
	if err == nil || err.Error() != "standard input cannot be read: unplugged" {
		t.Errorf("a broken standard input: %v", err)
	}
}

func TestLongRecords(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	o := Options{Options: trial.Options{MaxLineBytes: 100_000}}
	for _, c := range []struct{ text, want string }{
		{`{"scenario":"a","outcome":"pass"}` + "\n" + `{"scenario":"` + long + `"}`,
			"f:2: the line is longer than 100000 bytes; raise the limit with MaxLineBytes if it is really one trial"},
		{"pass\n" + long, "f:2: the line is longer than 100000 bytes; raise the limit with MaxLineBytes if it is really one"},
		{"scenario,outcome\na,pass\n\"" + strings.Repeat("x\n", 100_000),
			"f:3: the row is longer than 100000 bytes; raise the limit with MaxLineBytes if it is really one"},
		{"scenario,outcome\na,pass\n" + long[:100_001] + ",pass\n",
			"f:3: the row is longer than 100000 bytes; raise the limit with MaxLineBytes if it is really one"},
		{`<testsuite><testcase name="a">` + "\n<system-out>" + long,
			"f:2: the element is longer than 100000 bytes; raise the limit with MaxLineBytes if it is really one"},
		{`{"Action":"run","Package":"p","Test":"T"}` + "\n" + `{"Action":"output","Output":"` + long,
			"f:2: the line is longer than 100000 bytes; raise the limit with MaxLineBytes if it is really one"},
	} {
		if _, err := written(streamOf(c.text, o)); err == nil || err.Error() != c.want {
			t.Errorf("%.40q: got %v, want %s", c.text, err, c.want)
		}
	}
}

// The limit holds without the record being read to its end.
func TestEndlessRecords(t *testing.T) {
	for _, head := range []string{"pass\n", "scenario,outcome\n\"", "<testsuite><system-out>",
		`{"Action":"run","Package":"p"}` + "\n", `{"scenario":"`} {
		source := &endlessText{}
		s := NewStream(io.MultiReader(strings.NewReader(head), source),
			Options{Options: trial.Options{MaxLineBytes: 1 << 20}})
		if _, err := written(s); err == nil || !strings.Contains(err.Error(), "longer than") {
			t.Errorf("%q: %v", head, err)
		}
		if source.read > 2<<20 {
			t.Errorf("%q: %d bytes were read", head, source.read)
		}
	}
}

var aLotOfText = strings.Repeat("x", 1<<16)

// endlessText is text that never ends, and counts what is read of it.
type endlessText struct{ read int }

func (e *endlessText) Read(b []byte) (int, error) {
	n := copy(b, aLotOfText)
	e.read += n
	return n, nil
}

func TestStopEarly(t *testing.T) {
	for _, name := range []string{"trials", "csv", "lines", "junit", "gotest"} {
		text, err := os.ReadFile(ownSample(name))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			count := 0
			for _, err := range NewStream(bytes.NewReader(text), Options{}).Trials(context.Background()) {
				if err != nil {
					t.Error(err)
				}
				if count++; count == 2 {
					break
				}
			}
			if count != 2 {
				t.Errorf("%s: %d trials", name, count)
			}
			synctest.Wait()
		})
	}
}

func TestOptionsValidate(t *testing.T) {
	for _, o := range []Options{{From: "other"}, {Options: trial.Options{MaxLineBytes: -1}}} {
		if _, err := written(Open([]string{ownSample("lines")}, o)); !errors.As(err, new(*trial.OptionError)) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
