package store

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Version is that of the tables. A store of an earlier one is brought up to it when it is opened; one of a later one is
// refused.
const Version = 1

// Options say how a store is opened. The zero value makes it where there is none, and waits ten seconds for others.
type Options struct {
	// ReadOnly opens a store to read alone: one that is not there is an error, and none is made.
	ReadOnly bool
	// Patience is for how long a call waits for a store that others write to, or tries again where its server is away;
	// 0 stands for ten seconds, and less waits not at all.
	Patience time.Duration
}

// Store is a store that is open. Its methods can be called at the same time.
type Store struct {
	name     string // for errors, without a password
	db       *sql.DB
	dialect  *dialect
	patience time.Duration
}

// dialect is what one database has of its own.
type dialect struct {
	driver    string
	schema    *strings.Replacer // of schema.sql
	parameter func(n int) string
}

var sqlite = &dialect{
	driver: "sqlite",
	schema: strings.NewReplacer("{serial}", "INTEGER PRIMARY KEY", "{bytes}", "BLOB", "{real}", "REAL",
		"{clustered}", " WITHOUT ROWID"),
	parameter: func(int) string { return "?" },
}

var postgres = &dialect{
	driver: "pgx",
	schema: strings.NewReplacer("{serial}", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "{bytes}", "BYTEA",
		"{real}", "DOUBLE PRECISION", "{clustered}", ""),
	parameter: func(n int) string { return fmt.Sprintf("$%d", n) },
}

//go:embed schema.sql
var schema string

// IsURL reports whether a name is that of a database of PostgreSQL, and not of a file.
func IsURL(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// Open opens a store: a file of SQLite, or a database by its URL, such as postgres://user@host/database. The
// folder of a file must be there, and the file can be read by its owner alone.
func Open(ctx context.Context, name string, o Options) (*Store, error) {
	s := &Store{name: Shown(name), dialect: sqlite, patience: o.Patience}
	if s.patience == 0 {
		s.patience = 10 * time.Second
	}
	source := name
	if IsURL(name) {
		s.dialect = postgres
	} else {
		var err error
		if source, err = s.file(name, o.ReadOnly); err != nil {
			return nil, err
		}
	}
	db, err := sql.Open(s.dialect.driver, source)
	if err != nil {
		return nil, s.failed("cannot be opened", err)
	}
	s.db = db
	if err := s.prepare(ctx, o.ReadOnly); err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

// file makes the file of a store, and returns how its driver is told of it.
func (s *Store) file(name string, readOnly bool) (source string, err error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return "", &Error{Store: s.name, Problem: "is no regular file", Advice: "name a file, or a database by postgres://"}
	case err == nil:
	case !errors.Is(err, os.ErrNotExist):
		return "", s.failed("cannot be opened", err)
	case readOnly:
		return "", &Error{Store: s.name, Problem: "does not exist", Advice: "the first command that adds a run makes it",
			Err: err}
	default:
		if _, err := os.Stat(filepath.Dir(name)); err != nil {
			return "", &Error{Store: s.name, Problem: "cannot be made: there is no folder " + prose.FileName(filepath.Dir(name)),
				Advice: "make the folder first", Err: err}
		}
		file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return "", s.failed("cannot be made", err)
		}
		if err := file.Close(); err != nil {
			return "", s.failed("cannot be made", err)
		}
	}
	pragmas := url.Values{"_pragma": {
		fmt.Sprintf("busy_timeout(%d)", max(0, s.patience.Milliseconds())), "journal_mode(WAL)", "synchronous(FULL)",
		"foreign_keys(OFF)", "temp_store(MEMORY)", "cache_size(-65536)",
		"wal_autocheckpoint(8192)", // pages: those of an index that are written again and again go into the file once
	}, "_txlock": {"immediate"}}
	path, err := filepath.Abs(name)
	if err != nil {
		return "", s.failed("cannot be opened", err)
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: pragmas.Encode()}).String(), nil
}

// Close closes the store.
func (s *Store) Close() error { return s.db.Close() }

// String names the store, without a password.
func (s *Store) String() string { return s.name }

// Shown is the name of a store as it may be shown: a URL has no password.
func Shown(name string) string {
	if !IsURL(name) {
		return name
	}
	u, err := url.Parse(name)
	if err != nil {
		return "the database"
	}
	return u.Redacted()
}

// Error says that a store cannot be used.
type Error struct {
	Store   string // its name, without a password
	Problem string // what is wrong
	Advice  string // what to do; may be ""
	Err     error  // the cause; may be nil
}

func (e *Error) Error() string {
	text := e.Message()
	if e.Advice != "" {
		text += "; " + e.Advice
	}
	return text
}

// Message is the error without advice.
func (e *Error) Message() string { return "store " + prose.FileName(e.Store) + " " + e.Problem }

// Hint says what to do about it; "" where nothing is known.
func (e *Error) Hint() string { return e.Advice }

// ExitCode is that of unusable input.
func (e *Error) ExitCode() int { return exit.Input }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// failed is an error with the words of the database.
func (s *Store) failed(problem string, err error) error {
	if _, known := errors.AsType[*Error](err); known {
		return err
	}
	words := prose.Reason(prose.OneLine(err.Error()))
	return &Error{Store: s.name, Problem: problem + ": " + words, Advice: s.advice(err), Err: err}
}
