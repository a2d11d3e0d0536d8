package trial

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// collect returns copies of the trials of a stream, and its error.
func collect(r io.Reader, o Options, blockBytes int) (trials []*Trial, err error) {
	for t, err := range read(r, o, blockBytes) {
		if err != nil {
			return trials, err
		}
		trials = append(trials, t.Clone())
	}
	return trials, nil
}

func zip(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Whatever the size of the blocks, the number of workers and of bytes that come
// at a time, a stream holds the trials of its lines, each with its line.
func TestReadIsDecodeOfEveryLine(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		var text []byte
		var want []*Trial
		for line, n := 1, rapid.IntRange(0, 12).Draw(t, "lines"); line <= n; line++ {
			end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
			if line == n && rapid.Bool().Draw(t, "last line without newline") {
				end = ""
			}
			if rapid.IntRange(0, 4).Draw(t, "blank") == 0 {
				text = append(append(text, rapid.SampledFrom([]string{"", " ", "\t "}).Draw(t, "space")...), end...)
				continue
			}
			x := anyTrial().Draw(t, "trial")
			x.Place = Place{File: "f", Line: line}
			want = append(want, x)
			encoded, err := Append(nil, x)
			if err != nil {
				t.Fatal(err)
			}
			text = append(append(text, encoded...), end...)
		}
		var source io.Reader = bytes.NewReader(text)
		switch rapid.IntRange(0, 3).Draw(t, "reader") {
		case 0:
			source = iotest.OneByteReader(source)
		case 1:
			source = iotest.DataErrReader(source)
		case 2:
			source = iotest.HalfReader(source)
		}
		o := Options{File: "f", Workers: rapid.IntRange(1, 4).Draw(t, "workers")}
		got, err := collect(source, o, rapid.SampledFrom([]int{1, 7, 64, 1000, 1 << 16}).Draw(t, "block"))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", text, diff)
		}
	})
}

// manyLines are n lines, in which the trial of line i has the number i.
func manyLines(n int) []byte {
	var b []byte
	for i := 1; i <= n; i++ {
		if i%17 == 0 {
			b = append(b, "  \r\n"...)
			continue
		}
		b = fmt.Appendf(b, `{"scenario":"s%d","outcome":"pass","trial":%d,"note":"%s"}`+
			"\n", i%5, i, strings.Repeat("x", i*i%257))
	}
	return b
}

func TestReadOrderAndLines(t *testing.T) {
	text := manyLines(20_000)
	for name, source := range map[string][]byte{"plain": text, "gzip": zip(t, text)} {
		line := 0
		for x, err := range Read(bytes.NewReader(source), Options{File: "f", Workers: 4}) {
			if err != nil {
				t.Fatal(err)
			}
			if line++; line%17 == 0 {
				line++
			}
			if x.Index != Some(line) || x.Place != (Place{File: "f", Line: line}) {
				t.Fatalf("%s: trial %d at %v, want line %d", name, x.Index.Value, x.Place, line)
			}
		}
		if line != 20_000 {
			t.Fatalf("%s: the last trial is on line %d", name, line)
		}
	}
}

// An error names its own line wherever in the blocks it is, and the trials before
// it are all handed out.
func TestReadErrorLines(t *testing.T) {
	const lines = 2_000
	random := rand.New(rand.NewPCG(1, 2))
	for range 15 {
		bad := 1 + random.IntN(lines)
		text := bytes.Split(manyLines(lines), []byte("\n"))
		text[bad-1] = []byte(`{"scenario":"s","outcome":"maybe"}`)
		source := bytes.Join(text, []byte("\n"))
		count := 0
		var err error
		for _, err = range read(bytes.NewReader(zip(t, source)), Options{File: "f", Workers: 3}, 1<<12) {
			if err == nil {
				count++
			}
		}
		e, ok := errors.AsType[*FieldError](err)
		if !ok || e.Place != (Place{File: "f", Line: bad, Column: 27}) {
			t.Fatalf("bad line %d: %v", bad, err)
		}
		if want := bad - 1 - (bad-1)/17; count != want {
			t.Fatalf("bad line %d: %d trials before it, want %d", bad, count, want)
		}
	}
}

func TestReadEmpty(t *testing.T) {
	for _, text := range []string{"", "\n", " \r\n\t\n\n", "\ufeff", "\ufeff\n", string(zip(t, nil))} {
		if got, err := collect(strings.NewReader(text), Options{}, blockBytes); len(got) > 0 || err != nil {
			t.Errorf("%q: %d trials, %v", text, len(got), err)
		}
	}
}

func TestReadByteOrderMark(t *testing.T) {
	text := "\ufeff" + `{"scenario":"a","outcome":"pass"}` + "\r\n" + `{"scenario":"b","outcome":"maybe"}`
	got, err := collect(strings.NewReader(text), Options{File: "f"}, blockBytes)
	if len(got) != 1 || got[0].Scenario != "a" || err == nil || !strings.HasPrefix(err.Error(), "f:2:27: ") {
		t.Errorf("%d trials, %v", len(got), err)
	}
}

var aLotOfText = strings.Repeat("x", 1<<16)

// endlessLine is a line that never ends, and counts what is read of it.
type endlessLine struct{ read int }

func (e *endlessLine) Read(b []byte) (int, error) {
	n := copy(b, aLotOfText)
	e.read += n
	return n, nil
}

func TestReadLongLine(t *testing.T) {
	for _, limit := range []int{1, 1000, 300_000, 0} {
		source := &endlessLine{}
		head := strings.NewReader("\n" + `{"scenario":"a","outcome":"pass","x":"`)
		_, err := collect(io.MultiReader(head, source), Options{File: "f", MaxLineBytes: limit}, blockBytes)
		e, ok := errors.AsType[*SyntaxError](err)
		if !ok || e.Line != 2 || !strings.Contains(e.Problem, "the line is longer than") {
			t.Fatalf("limit %d: %v", limit, err)
		}
		if most := max(limit, Options{MaxLineBytes: limit}.maxLineBytes()) + 2*blockBytes; source.read > most {
			t.Errorf("limit %d: %d bytes were read, want at most %d", limit, source.read, most)
		}
	}
}

func TestReadLineAtTheLimit(t *testing.T) {
	line := `{"scenario":"a","outcome":"pass"}`
	for _, end := range []string{"", "\n", "\r\n"} {
		for _, block := range []int{4, len(line), len(line) + 1, 1000} {
			text := line + "\n" + line + end
			if got, err := collect(strings.NewReader(text), Options{MaxLineBytes: len(line)},
				block); len(got) != 2 || err != nil {
				t.Errorf("%q, block %d: %d trials, %v", end, block, len(got), err)
			}
			got, err := collect(strings.NewReader(line[:10]+line[10:]+"\n "+line+end),
				Options{File: "f", MaxLineBytes: len(line)}, block)
			if len(got) != 1 || err == nil ||
				err.Error() != "f:2: the line is longer than 33 bytes; raise the limit with MaxLineBytes if it is really one "+
					"trial" {
				t.Errorf("%q, block %d: %d trials, %v", end, block, len(got), err)
			}
		}
	}
}

func TestReadGzip(t *testing.T) {
	text := manyLines(400)
	first, second := text[:20_001], text[20_001:] // the cut is inside a line
	want, err := collect(bytes.NewReader(text), Options{}, blockBytes)
	if err != nil {
		t.Fatal(err)
	}
	got, err := collect(bytes.NewReader(append(zip(t, first), zip(t, second)...)), Options{}, blockBytes)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("two members (-want +got):\n%s", diff)
	}
}

func TestReadBrokenGzip(t *testing.T) {
	whole := zip(t, manyLines(3_000))
	damaged := bytes.Clone(whole)
	damaged[10] |= 0b110 // the first block is of the type that does not exist
	wrongSum := bytes.Clone(whole)
	wrongSum[len(wrongSum)-6] ^= 0x55
	for _, c := range []struct {
		name   string
		source []byte
		want   string
	}{
		{"cut", whole[:len(whole)/2],
			"f.gz is a gzip file that is cut off; was the copy or the program that wrote it stopped?"},
		{"cut before the checksum", whole[:len(whole)-8],
			"f.gz is a gzip file that is cut off; was the copy or the program that wrote it stopped?"},
		{"only the magic", whole[:2],
			"f.gz is a gzip file that is cut off; was the copy or the program that wrote it stopped?"},
		{"damaged", damaged, "f.gz is a damaged gzip file"},
		{"wrong checksum", wrongSum,
			"f.gz is a damaged gzip file: gzip: invalid checksum; copy it again; gzip -t tests it"},
		{"more", append(bytes.Clone(whole), "more after the end"...),
			"f.gz has data after the end of its gzip part, or a broken gzip header; compress it again"},
	} {
		_, err := collect(bytes.NewReader(c.source), Options{File: "f.gz"}, blockBytes)
		if e, ok := errors.AsType[*FileError](err); !ok || !strings.HasPrefix(e.Error(), c.want) || e.Unwrap() == nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestReadFailingReader(t *testing.T) {
	broken := errors.New("disk on fire")
	text := manyLines(100)
	for _, head := range []string{"", string(text), string(text) + `{"scenario":"a"`, "[", `[{"scenario":"a",`} {
		source := io.MultiReader(strings.NewReader(head), iotest.ErrReader(broken))
		_, err := collect(source, Options{File: "-"}, 1000)
		if !errors.Is(err, broken) || err.Error() != "standard input cannot be read: disk on fire" {
			t.Errorf("%.20q: %v", head, err)
		}
	}
	if _, err := collect(stuckReader{}, Options{}, 1000); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that gives nothing: %v", err)
	}
}

// stuckReader returns neither bytes nor an error.
type stuckReader struct{}

func (stuckReader) Read([]byte) (int, error) { return 0, nil }

// A loop that is left early leaves no goroutine behind: synctest fails the test
// if one is blocked at its end.
func TestReadStopsEarly(t *testing.T) {
	text := manyLines(2_000)
	for _, after := range []int{0, 1, 10, 700, 1_500} {
		synctest.Test(t, func(t *testing.T) {
			count := 0
			for _, err := range read(bytes.NewReader(text), Options{Workers: 3}, 1<<10) {
				if err != nil {
					t.Fatal(err)
				}
				if count++; count > after {
					break
				}
			}
			synctest.Wait()
		})
	}
	synctest.Test(t, func(t *testing.T) { // the error of the stream ends it too
		for _, err := range read(io.MultiReader(bytes.NewReader(text[:5_000]), strings.NewReader("}\n"),
			bytes.NewReader(text)), Options{Workers: 3}, 1<<8) {
			_ = err
		}
		synctest.Wait()
	})
}

// Trials share the memory of their block; a clone does not.
func TestCloneOutlivesTheStream(t *testing.T) {
	var want, got []string
	var clones []*Trial
	for x, err := range read(bytes.NewReader(manyLines(3_000)), Options{Workers: 2}, 1<<10) {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, string(x.Extra[0].Value))
		clones = append(clones, x.Clone())
	}
	for _, x := range clones {
		got = append(got, string(x.Extra[0].Value))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Names that are new in every line take no more than themselves.
func TestInternerIsBounded(t *testing.T) {
	n := newInterner()
	for i := range 100_000 {
		text := fmt.Sprint("name ", i)
		if got := n.text([]byte(text)); got != text {
			t.Fatalf("%q became %q", text, got)
		}
	}
	long := strings.Repeat("x", longestInterned+1)
	n.text([]byte(long))
	for _, held := range n.slots {
		if len(held) > longestInterned {
			t.Errorf("a text of %d bytes is held", len(held))
		}
	}
	a, b := n.text([]byte("same")), n.text([]byte("same"))
	if a != b {
		t.Errorf("%q and %q", a, b)
	}
}
