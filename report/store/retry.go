package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	sqlitedriver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// inside runs a function in a transaction.
func (s *Store) inside(ctx context.Context, work func(tx *sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := work(tx); err != nil {
		return errors.Join(err, ignoreDone(tx.Rollback()))
	}
	return tx.Commit()
}

// ignoreDone leaves out the error of a transaction that has ended already, as one whose context has, or whose
// connection is gone.
func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) || err != nil && passing(err) {
		return nil
	}
	return err
}

// again runs a function that may be run again, and runs it again while its error is one that passes: a server that is
// being started, a connection that is gone, others that write. What the function does must be done once however often
// it runs.
func (s *Store) again(ctx context.Context, problem string, work func() error) error {
	until := time.Now().Add(s.patience)
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := work()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !passing(err) || time.Now().Add(wait).After(until):
			return s.failed(problem, err)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// passing reports whether an error may be gone when the same is tried again.
func passing(err error) bool {
	if e, ok := errors.AsType[*sqlitedriver.Error](err); ok {
		code := e.Code() & 0xff
		return code == codes.SQLITE_BUSY || code == codes.SQLITE_LOCKED
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		// Classes: 08 connection, 40 rolled back, 53 too many connections, 57P: the server stops or starts.
		return strings.HasPrefix(e.Code, "08") || strings.HasPrefix(e.Code, "40") || e.Code == "53300" ||
			strings.HasPrefix(e.Code, "57P")
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return !strings.Contains(err.Error(), "SASL") // a wrong password stays wrong
	}
	var gone net.Error
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, pgconn.ErrConnClosed) || errors.As(err, &gone) ||
		pgconn.SafeToRetry(err)
}
