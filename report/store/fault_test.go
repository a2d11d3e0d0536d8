package store_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/report/store"
)

// refused fails unless an error is one of a store, with those words.
func refused(t *testing.T, err error, words ...string) {
	t.Helper()
	problem, ok := errors.AsType[*store.Error](err)
	if !ok {
		t.Fatalf("%v", err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q is not in: %v", w, err)
		}
	}
	// Drivers list the causes below each other, which would be shown as escapes.
	if strings.Contains(err.Error(), `\n`) || strings.Contains(err.Error(), `\t`) {
		t.Errorf("it has several lines: %v", err)
	}
	if problem.ExitCode() != 65 || problem.Hint() == "" {
		t.Errorf("exit code %d, hint %q", problem.ExitCode(), problem.Hint())
	}
}

// opening is the error of opening a store.
func opening(t *testing.T, name string, o store.Options) error {
	t.Helper()
	s, err := store.Open(t.Context(), name, o)
	if err == nil {
		s.Close()
	}
	return err
}

// Of a later version nothing is read or changed.
func TestALaterVersionIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		open(t, name).Close()
		text := "UPDATE tribunal_version SET version = 99"
		if !store.IsURL(name) {
			text = "PRAGMA user_version = 99"
		}
		if _, err := raw(t, name).Exec(text); err != nil {
			t.Fatal(err)
		}
		refused(t, opening(t, name, store.Options{}), "later version", "99", "newer tribunal")
	})
}

func TestWhatIsNoStoreIsRefused(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	refused(t, opening(t, file("text", strings.Repeat("this is a text and no database\n", 100)), store.Options{}),
		"not a database", "file of its own")
	refused(t, opening(t, folder, store.Options{}), "no regular file")
	err := opening(t, filepath.Join(folder, "none.db"), store.Options{ReadOnly: true})
	refused(t, err, "does not exist")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	other := filepath.Join(folder, "other.db")
	db, err := sql.Open("sqlite", other)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE mine (x)"); err != nil {
		t.Fatal(err)
	}
	refused(t, opening(t, other, store.Options{}), "something else")
	refused(t, opening(t, "postgres://nobody:hush@127.0.0.1:1/none", store.Options{Patience: -1}),
		"nobody:xxxxx@127.0.0.1", "is the server there")
}

// A store that another program has locked is waited for, and then told.
func TestALockedStore(t *testing.T) {
	name := filepath.Join(t.TempDir(), "runs.db")
	s, err := store.Open(t.Context(), name, store.Options{Patience: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	db := raw(t, name)
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	_, err = s.Add(t.Context(), store.Run{}, made(1, false))
	refused(t, err, "locked", "another program writes")
	if _, err := s.Runs(t.Context(), store.Query{}, 0, 0); err != nil {
		t.Errorf("it can still be read: %v", err)
	}
	patient, err := store.Open(t.Context(), name, store.Options{Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer patient.Close()
	time.AfterFunc(100*time.Millisecond, func() { db.Exec("COMMIT") })
	if _, err := patient.Add(t.Context(), store.Run{}, made(1, false)); err != nil {
		t.Errorf("after the lock is gone: %v", err)
	}
}
