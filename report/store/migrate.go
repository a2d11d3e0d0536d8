package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	sqlitedriver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// migrations bring the tables from one version to the next: the first makes them.
var migrations = []string{schema}

// prepare makes the tables, or brings them up to date, and refuses what is no store.
func (s *Store) prepare(ctx context.Context, readOnly bool) error {
	return s.again(ctx, "cannot be opened", func() error {
		version, err := s.version(ctx, s.db)
		switch {
		case err != nil:
			return err
		case version < 0:
			return &Error{Store: s.name, Problem: fmt.Sprintf("is damaged: its tables have version %d", version),
				Advice: "restore it from a copy"}
		case version > Version:
			return &Error{Store: s.name,
				Problem: fmt.Sprintf("is of a later version of tribunal: its tables have version %d, and this tribunal reads %d",
					version, Version),
				Advice: "use the newer tribunal"}
		case version == Version:
			return nil
		case readOnly && version == 0:
			return &Error{Store: s.name, Problem: "is no store", Advice: "the first command that adds a run makes it"}
		}
		return s.inside(ctx, func(tx *sql.Tx) error { return s.migrate(ctx, tx) })
	})
}

// queryer is a database or a transaction.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// version is that of the tables; 0 where there are none.
func (s *Store) version(ctx context.Context, db queryer) (version int, err error) {
	if s.dialect == sqlite {
		err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
		if err == nil && version == 0 {
			var tables int
			err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables)
			if err == nil && tables > 0 {
				err = &Error{Store: s.name, Problem: "is a database of something else", Advice: "name a file of its own"}
			}
		}
		return version, err
	}
	var is bool
	err = db.QueryRowContext(ctx, "SELECT to_regclass('tribunal_version') IS NOT NULL").Scan(&is)
	if err == nil && is {
		err = db.QueryRowContext(ctx, "SELECT max(version) FROM tribunal_version").Scan(&version)
	}
	return version, err
}

// migrate runs what is missing of the migrations. Others that open the store at this time wait, and find it done.
func (s *Store) migrate(ctx context.Context, tx *sql.Tx) error {
	if s.dialect == postgres {
		for _, text := range []string{
			"SELECT pg_advisory_xact_lock(8317160447)",
			"CREATE TABLE IF NOT EXISTS tribunal_version (version INTEGER NOT NULL)",
			"INSERT INTO tribunal_version SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM tribunal_version)",
		} {
			if _, err := tx.ExecContext(ctx, text); err != nil {
				return err
			}
		}
	}
	version, err := s.version(ctx, tx)
	if err != nil {
		return err
	}
	for ; version < Version; version++ {
		for statement := range strings.SplitSeq(withoutComments(migrations[version]), ";") {
			if statement = strings.TrimSpace(statement); statement == "" {
				continue
			}
			if _, err := tx.ExecContext(ctx, s.dialect.schema.Replace(statement)); err != nil {
				return err
			}
		}
	}
	if s.dialect == sqlite {
		_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", Version))
	} else {
		_, err = tx.ExecContext(ctx, "UPDATE tribunal_version SET version = $1", Version)
	}
	return err
}

// withoutComments leaves out comments, which may hold what ends a statement.
func withoutComments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		text, _, _ := strings.Cut(line, "--")
		b.WriteString(strings.TrimSuffix(text, "\n") + "\n")
	}
	return b.String()
}

// advice says what to do about an error of the database.
func (s *Store) advice(err error) string {
	if e, ok := errors.AsType[*sqlitedriver.Error](err); ok {
		switch e.Code() & 0xff {
		case codes.SQLITE_BUSY, codes.SQLITE_LOCKED:
			return "another program writes to it; try again when that has ended"
		case codes.SQLITE_FULL:
			return "the disk is full; nothing of the run was added"
		case codes.SQLITE_NOTADB:
			return "name a file of its own"
		case codes.SQLITE_CORRUPT:
			return "restore it from a copy, or export what can be read"
		case codes.SQLITE_READONLY, codes.SQLITE_CANTOPEN, codes.SQLITE_PERM:
			return "it and its folder must be writable, for the files beside it as well"
		}
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == "42501" {
		return "the user of the URL must own the tables, or be granted them"
	}
	if s.dialect == postgres {
		return "is the server there, and the URL right?"
	}
	return ""
}
