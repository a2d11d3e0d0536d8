package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/report/store"
)

// server is the PostgreSQL that tests use.
const server = "postgres://postgres@127.0.0.1:5432/test?sslmode=disable"

// onEach runs a test on an empty store of each kind; the name opens it again.
func onEach(t *testing.T, test func(t *testing.T, name string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "runs.db")) })
	t.Run("postgres", func(t *testing.T) { test(t, postgres(t)) })
}

// postgres is the URL of an empty database schema that goes away with the test. Without a server the test is skipped by
// name.
func postgres(t testing.TB) string {
	t.Helper()
	db, err := sql.Open("pgx", server)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := db.PingContext(ctx); err != nil {
		t.Skipf("no PostgreSQL at 127.0.0.1:5432: %v", err)
	}
	name := fmt.Sprintf("t%d_%s", time.Now().UnixNano(), strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(t.Name())))
	name = name[:min(len(name), 60)]
	if _, err := db.ExecContext(ctx, "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		db, err := sql.Open("pgx", server)
		if err == nil {
			_, err = db.Exec("DROP SCHEMA " + name + " CASCADE")
			db.Close()
		}
		if err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	return u.String()
}

// open opens a store that is closed with the test.
func open(t testing.TB, name string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), name, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
