package trial

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func seedLines(f *testing.F) [][]byte {
	seeds := [][]byte{[]byte(wholeRecord), short(nil, 3), trace(nil, 4)}
	for _, c := range badLines {
		seeds = append(seeds, []byte(c.line))
	}
	return seeds
}

// What is decoded is JSON to encoding/json too, and is the same after it was
// written and read.
func FuzzDecode(f *testing.F) {
	for _, seed := range seedLines(f) {
		f.Add(seed, true, 0.5)
	}
	f.Fuzz(func(t *testing.T, line []byte, known bool, passScore float64) {
		o := Options{PassScore: Optional[float64]{passScore, known}}
		few := o
		few.Fields = BasicFields
		x, err := Decode(line, o)
		y, errFew := Decode(line, few)
		if (err == nil) != (errFew == nil) || err != nil && err.Error() != errFew.Error() {
			t.Fatalf("everything: %v; few fields: %v", err, errFew)
		}
		if err != nil {
			return
		}
		if !json.Valid(bytes.TrimPrefix(line, byteOrderMark)) {
			t.Fatalf("encoding/json refuses %q", line)
		}
		if x.Outcome == Unjudged || x.Scenario == "" || x.Outcome != y.Outcome || x.Scenario != y.Scenario {
			t.Fatalf("%+v and %+v", x, y)
		}
		once, err := Append(nil, x)
		if err != nil {
			t.Fatalf("%q is read but not written: %v", line, err)
		}
		x, err = Decode(once, o)
		if err != nil {
			t.Fatalf("%q: %v", once, err)
		}
		twice, err := Append(nil, x)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(once, twice) {
			t.Fatalf("first %s\nthen  %s", once, twice)
		}
	})
}

// A stream gives the same trials and the same error whatever its blocks are.
func FuzzRead(f *testing.F) {
	seeds := seedLines(f)
	for i, seed := range seeds {
		f.Add(append(append(bytes.Clone(seeds[1]), seed...), "\r\n\n"...), i)
	}
	f.Add(zip(f, seeds[1]), 10)
	f.Add([]byte("[\n"+`{"scenario":"a","outcome":"pass"},`+"\n"+`{"scenario":"b","outcome":"fail"}]`), 3)
	f.Fuzz(func(t *testing.T, text []byte, block int) {
		o := Options{File: "f", MaxLineBytes: 1 << 20, Workers: 1}
		want, wantErr := collect(bytes.NewReader(text), o, 1<<20)
		o.Workers = 3
		got, gotErr := collect(bytes.NewReader(text), o, 1+(block&0x3ff))
		if (wantErr == nil) != (gotErr == nil) || wantErr != nil && wantErr.Error() != gotErr.Error() {
			t.Fatalf("one block: %v; many: %v", wantErr, gotErr)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-one block +many):\n%s", diff)
		}
	})
}
