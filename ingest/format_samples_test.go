package ingest

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/trial"
)

func TestMain(m *testing.M) { refdata.Main(m) }

// samplesFolder holds the samples that were written for this project: a folder for each
// format, and folders in it for more cases. Its README says what stands in them.
const samplesFolder = "testdata/formats"

// ownSample is the first sample of a format, "no sample" if there is none.
func ownSample[F ~string](format F) string {
	files, _ := filepath.Glob(filepath.Join(samplesFolder, string(format), "input.*"))
	return append(files, "no sample")[0]
}

// formatSample is one sample.
type formatSample struct {
	name   string // of its folder, below the folder of all
	format Format
	file   string
	text   []byte
}

// ownSamples returns all samples.
func ownSamples(t testing.TB) (samples []formatSample) {
	t.Helper()
	err := filepath.WalkDir(samplesFolder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasPrefix(entry.Name(), "input.") {
			return err
		}
		name, err := filepath.Rel(samplesFolder, filepath.Dir(file))
		if err != nil {
			return err
		}
		text, err := os.ReadFile(file)
		format, _, _ := strings.Cut(filepath.ToSlash(name), "/")
		samples = append(samples, formatSample{filepath.ToSlash(name), Format(format), file, text})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return samples
}

// TestFormats reads every sample, tells its format from its content, and compares the
// trials with those that the sample wants.
func TestFormats(t *testing.T) {
	sampled := map[Format]bool{}
	for _, s := range ownSamples(t) {
		sampled[s.format] = true
		t.Run(s.name, func(t *testing.T) { checkSample(t, s) })
	}
	for _, f := range formats {
		if !sampled[f.name] {
			t.Errorf("%s has no sample: %s/%s/input.*", f.name, samplesFolder, f.name)
		}
	}
}

func checkSample(t *testing.T, s formatSample) {
	want := wantedLines(t, filepath.Join(filepath.Dir(s.file), "want.jsonl"))
	o := Options{Options: trial.Options{Unjudged: true}, AllVariants: true}
	o.File = filepath.Base(filepath.Dir(s.file)) + filepath.Ext(s.file) // it may name the scenario
	stream := NewStream(bytes.NewReader(s.text), o)
	got, err := written(stream)
	if err != nil {
		t.Fatal(err)
	}
	var trials, lines []string
	for line := range strings.Lines(got) {
		number, record, _ := strings.Cut(strings.TrimSpace(line), " ")
		trials, lines = append(trials, record), append(lines, number)
	}
	if diff := cmp.Diff(want, trials); diff != "" {
		t.Errorf("trials (-want +got):\n%s", diff)
	}
	// What is said of the file: nothing, unless want.txt tells it.
	said := []string{fmt.Sprintf("%s (%s)", countOf(len(want)), s.format)}
	if file := filepath.Join(filepath.Dir(s.file), "want.txt"); exists(file) {
		said = wantedLines(t, file)
	}
	notes := stream.Notes()[0]
	if notes.Format != s.format {
		t.Errorf("the format is taken for %s", notes.Format)
	}
	told := []string{strings.TrimPrefix(notes.String(), o.File+": ")}
	if len(said) > 1 {
		told = append(told, "lines: "+strings.Join(lines, " "))
	}
	if diff := cmp.Diff(said, told); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func countOf(trials int) string {
	if trials == 1 {
		return "1 trial"
	}
	return fmt.Sprintf("%d trials", trials)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func wantedLines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// TestSamplesShowOneFormat lets every decoder look at every sample, own and recorded:
// no file may be claimed by two.
func TestSamplesShowOneFormat(t *testing.T) {
	for _, s := range ownSamples(t) {
		want := s.format
		if slices.Contains(byText, want) {
			want = ""
		}
		checkShown(t, s.name, s.text, want)
	}
}

func TestRecordedSamplesShowOneFormat(t *testing.T) {
	folder := refdata.Recorded(t, "formats")
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		detected, _ := Detect(text)
		if slices.Contains(byText, detected) {
			detected = ""
		}
		checkShown(t, file, text, detected)
	}
}

// checkShown compares the formats that a text shows with the one that it may; "" is
// none that a decoder tells by itself.
func checkShown(t *testing.T, name string, text []byte, want Format) {
	t.Helper()
	var got, wanted []Format
	prefix := text[:min(len(text), record.PrefixBytes)]
	shape := record.ShapeOf(prefix)
	if len(shape.Objects) == 0 && !shape.Zip && !bytes.HasPrefix(prefix, []byte("[")) { // as detectText does
		shape = record.ShapeOf(objectsOf(bytes.Split(prefix, []byte{'\n'})))
	}
	for _, f := range formats {
		if f.decoder.Shows != nil && f.decoder.Shows(shape) {
			got = append(got, f.name)
		}
	}
	if want != "" {
		wanted = []Format{want}
	}
	if !slices.Equal(got, wanted) {
		t.Errorf("%s shows %q, want %q", name, got, wanted)
	}
}
