package ingest

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/tribunal-dev/tribunal/trial"
)

type entry struct{ name, text string }

// evalArchive packs the files as inspect_ai does.
func evalArchive(t testing.TB, method uint16, entries ...entry) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor())
	for _, e := range entries {
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// packed returns the files of the archive of a log.
func packed(t testing.TB, log string) (header entry, samples []entry) {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]json.RawMessage
	if err := json.Unmarshal(bytes.ReplaceAll(text, []byte("NaN"), []byte("0")), &document); err != nil {
		t.Fatal(err)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(document["samples"], &list); err != nil {
		t.Fatal(err)
	}
	for i, s := range list {
		samples = append(samples, entry{fmt.Sprintf("samples/%d_epoch_1.json", i), string(s)})
	}
	delete(document, "samples")
	text, err = json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return entry{"header.json", string(text)}, samples
}

var placeOfLine = regexp.MustCompile(`(?m)^\d+ `)

// An archive gives what its log gives as one document.
func TestInspectArchive(t *testing.T) {
	want, err := written(Open([]string{ownSample("inspect")}, unjudged))
	if err != nil {
		t.Fatal(err)
	}
	header, samples := packed(t, ownSample("inspect"))
	for _, method := range []uint16{zip.Store, zip.Deflate, zstd.ZipMethodWinZip} {
		text := evalArchive(t, method, append(append([]entry{{"_journal/start.json", "{}"}}, samples...), header)...)
		s := streamOf(text, unjudged)
		checkWritten(t, s, placeOfLine.ReplaceAllString(want, "0 "))
		checkNotes(t, s, "f: 6 trials (inspect); left out: calls of a model that failed (1), samples without an id (1)")
	}
	text := evalArchive(t, zip.Deflate, append([]entry{{"_journal/start.json", header.text}}, samples[4])...)
	s := streamOf(text, Options{})
	if got, err := written(s); err != nil || !strings.Contains(got, `"triage/8"`) {
		t.Errorf("%v, %s", err, got)
	}
	checkNotes(t, s, "f: 1 trial (inspect); the evaluation was cut off: the archive has no header.json, and samples may "+
		"be missing")
}

// Of two files of one name the later counts, as in an archive that was added to.
func TestInspectArchiveOfAddedFiles(t *testing.T) {
	header := entry{"header.json", `{"status":"success","eval":{"task":"t"}}`}
	text := evalArchive(t, zip.Deflate, entry{"header.json", "{}"}, entry{"samples/a.json", `{"id":1}`}, header,
		entry{"samples/a.json", `{"id":1,"scores":{"m":{"value":"I"}},"messages":[]}`}, entry{"samples/", ""},
		entry{"samples/readme.txt", "x"})
	checkWritten(t, streamOf(text, Options{}),
		`0 {"scenario":"t/1","trial":0,"outcome":"fail","score":0,"steps":[],"tags":{"eval.task":"t"}}`)
}

// Where samples were not logged, their summaries tell what came of them.
func TestInspectSummaries(t *testing.T) {
	header := entry{"header.json", `{"status":"cancelled","eval":{"task":"t","model":"m"}}`}
	summaries := `[{"id":"a","epoch":1,"input":"x","scores":{"m":{"value":"C"}},"model_usage":{"m":{"input_tokens":5,"output_tokens":2,"total_tokens":7}},"total_time":1.5},{"id":"b","epoch":1,"input":"x","error":"no disk"},{"id":"c","epoch":1,"input":"x","limit":"message"}]`
	for _, name := range []string{"summaries.json", "_journal/summaries/1.json"} {
		s := streamOf(evalArchive(t, zip.Deflate, header, entry{name, summaries}), Options{})
		checkWritten(t, s, `
0 {"scenario":"t/a","trial":1,"outcome":"pass","score":1,"duration_s":1.5,"model":"m","input_tokens":5,"output_tokens":2,"input":"x","tags":{"eval.task":"t","eval.model":"m"}}
0 {"scenario":"t/b","trial":1,"outcome":"error","error":{"origin":"infrastructure","type":"error","message":"no disk"},"model":"m","input":"x","tags":{"eval.task":"t","eval.model":"m"}}
0 {"scenario":"t/c","trial":1,"outcome":"error","error":{"type":"limit","message":"message"},"model":"m","input":"x","tags":{"eval.task":"t","eval.model":"m","limit.type":"message"}}`)
		checkNotes(t, s, "f: 3 trials (inspect); the evaluation ended early (cancelled): samples may be missing")
	}
}

func TestBadInspectArchives(t *testing.T) {
	header := entry{"header.json", `{"status":"success","eval":{"task":"t"}}`}
	sample := entry{"samples/1.json", `{"id":1,"messages":[]}`}
	zeros := strings.Repeat(" ", 700_000) + `{"id":1}`
	whole := evalArchive(t, zip.Deflate, header, sample)
	strange := strings.ReplaceAll(evalArchive(t, zip.Store, header, sample), "PK\x03\x04\x14\x00\x08\x00\x00\x00",
		"PK\x03\x04\x14\x00\x08\x00\x63\x00")
	strange = strings.ReplaceAll(strange, "PK\x01\x02\x14\x00\x14\x00\x08\x00\x00\x00",
		"PK\x01\x02\x14\x00\x14\x00\x08\x00\x63\x00")
	for _, c := range []struct{ text, want string }{
		{whole[:len(whole)-30], "f is a zip archive that cannot be read: zip: not a valid zip file; was the copy or the " +
			"program that wrote it stopped?"},
		{evalArchive(t, zstd.ZipMethodWinZip, header, entry{"samples/1.json", strings.Repeat(" ", 3<<20)}),
			"f is an archive of more than 1 MiB; raise the limit with MaxDocumentBytes if there is the memory"},
		{evalArchive(t, zip.Deflate, header, entry{"samples/1.json", zeros}, entry{"samples/2.json", zeros}),
			"f is an archive of more than 1 MiB; raise the limit with MaxDocumentBytes if there is the memory"},
		{evalArchive(t, zip.Deflate, sample), "f is an archive, and no log of inspect_ai: it has no header.json"},
		{evalArchive(t, zip.Deflate, header, entry{"samples/\x1b.json", "{"}),
			`f holds "samples/\x1b.json", which is not JSON: unexpected EOF`},
		{strange, `f holds "header.json", which is compressed in a way that is not known here (99); deflate and zstd are`},
		{evalArchive(t, zip.Deflate, header), "f holds no trials"},
	} {
		_, err := written(streamOf(c.text, Options{MaxDocumentBytes: 1 << 20, From: "inspect",
			Options: trial.Options{Unjudged: true}}))
		if err == nil || err.Error() != c.want {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
	if _, err := Detect([]byte(evalArchive(t, zip.Store, entry{"photo.jpg", "x"}))); err == nil {
		t.Error("any archive is taken for a log")
	}
}

func FuzzInspectArchive(f *testing.F) {
	header, samples := packed(f, ownSample("inspect"))
	for _, method := range []uint16{zip.Store, zip.Deflate, zstd.ZipMethodWinZip} {
		f.Add([]byte(evalArchive(f, method, append(samples, header)...)))
	}
	f.Add([]byte(evalArchive(f, zip.Store, header, entry{"summaries.json", `[{"id":1}]`})))
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "inspect") })
}
