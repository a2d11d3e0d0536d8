package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tribunal-dev/tribunal/report/store"
)

// A store whose header was changed is refused, or read as it is; it is no panic. The header of a file of SQLite has 100
// bytes, of which those from 60 on are the version of the tables.
func TestChangedHeaders(t *testing.T) {
	name := filepath.Join(t.TempDir(), "runs.db")
	s, err := store.Open(t.Context(), name, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	open := func(header []byte, readOnly bool) error {
		changed := filepath.Join(t.TempDir(), "x.db")
		if err := os.WriteFile(changed, append(header, whole[len(header):]...), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(t.Context(), changed, store.Options{ReadOnly: readOnly, Patience: -1})
		if err != nil {
			return err
		}
		defer s.Close()
		_, err = s.Runs(t.Context(), store.Query{}, 0, 1)
		return err
	}
	for at := range 100 {
		for _, value := range []byte{0, 0xff} {
			header := append([]byte{}, whole[:100]...)
			header[at] = value
			_ = open(header, at%2 == 0) // whether that matters is for SQLite to say
		}
	}
	for _, version := range [][4]byte{
		{0xff, 0xff, 0xff, 0xff}, {0x80, 0, 0, 0}, {0, 0, 0, store.Version + 1}, {0x7f, 0, 0, 0},
	} {
		header := append([]byte{}, whole[:100]...)
		copy(header[60:], version[:])
		for _, readOnly := range []bool{false, true} {
			if err := open(header, readOnly); err == nil {
				t.Errorf("the version %x is read", version)
			}
		}
	}
}
