// Package postgres asks a database of PostgreSQL for rows of counts: a query that a person wrote, or that package
// warehouse did, in a transaction that can change nothing.
//
//	all, err := postgres.Rows(ctx, "postgres://reader@host/traces?query=@rows.sql")
package postgres

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tribunal-dev/tribunal/cmd/internal/warehouse/rows"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Bounds of what is asked, all chosen: how long a connection and a statement may take, how long a query is, in
// bytes, and a value of it.
const (
	connectTimeout   = 10 * time.Second
	statementTimeout = 10 * time.Minute
	mostQuery        = 1 << 20
	mostValue        = 4 << 20
)

// IsURL reports whether a name is that of a database of PostgreSQL, and not of a file.
func IsURL(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// Shown names a database for a person: without its password, and without the query.
func Shown(name string) string {
	u, err := url.Parse(name)
	if err != nil {
		return "the database"
	}
	u.RawQuery, u.Fragment = "", ""
	return u.Redacted()
}

// Error says that a database cannot be asked.
type Error struct {
	Database string // its name, as it may be shown
	Problem  string // what is wrong
	Advice   string // what to do; may be ""
	Err      error  // the cause; may be nil
}

func (e *Error) Error() string {
	if e.Advice == "" {
		return e.Message()
	}
	return e.Message() + "; " + e.Advice
}

// Message is the error without advice.
func (e *Error) Message() string { return prose.FileName(e.Database) + " " + e.Problem }

// Hint says what to do about it.
func (e *Error) Hint() string { return e.Advice }

// ExitCode is that of unusable input.
func (e *Error) ExitCode() int { return exit.Input }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Rows runs the query of a URL: that of its parameter query, or of the file behind an @ there. The transaction is read
// only, has one statement, and ends after ten minutes. The time zone of the session is UTC.
func Rows(ctx context.Context, name string) (*rows.Rows, error) {
	shown := Shown(name)
	u, err := url.Parse(name)
	if err != nil { // its own error has the password in it
		return nil, &Error{Database: shown, Problem: "cannot be read as a URL",
			Advice: "write it as in postgres://reader@host/database?query=@rows.sql"}
	}
	parameters := u.Query()
	text := parameters.Get("query")
	parameters.Del("query")
	u.RawQuery = parameters.Encode()
	if file, is := strings.CutPrefix(text, "@"); is {
		content, err := input.Read(ctx, file, nil, mostQuery, "name the file that tribunal import sql wrote")
		if err != nil {
			return nil, &Error{
				Database: shown, Problem: "has a query that cannot be read: " + prose.Reason(err.Error()), Err: err,
			}
		}
		text = string(content)
	}
	if strings.TrimSpace(text) == "" {
		return nil, &Error{Database: shown, Problem: "has no query",
			Advice: "add ?query=@rows.sql, of the file that tribunal import sql --dialect postgres wrote"}
	}
	c := &database{shown: shown}
	c.password, _ = u.User.Password()
	config, err := pgx.ParseConfig(u.String())
	if err != nil {
		return nil, c.failed("cannot be connected to", err)
	}
	if c.password == "" {
		c.password = config.Password
	}
	config.ConnectTimeout = connectTimeout
	config.RuntimeParams["timezone"] = "UTC"
	config.RuntimeParams["application_name"] = "tribunal"
	config.RuntimeParams["default_transaction_read_only"] = "on"
	connection, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, c.orEnd(ctx, "cannot be connected to", err)
	}
	defer connection.Close(context.WithoutCancel(ctx)) // nothing was written
	return c.ask(ctx, connection, text)
}

// database is a database that is asked, with what must not be shown of it.
type database struct{ shown, password string }

// ask runs the query.
func (c *database) ask(ctx context.Context, connection *pgx.Conn, text string) (*rows.Rows, error) {
	tx, err := connection.BeginTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, c.orEnd(ctx, "cannot be asked", err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) // nothing was written
	limit := fmt.Sprintf("SET LOCAL statement_timeout = %d", statementTimeout.Milliseconds())
	if _, err := tx.Exec(ctx, limit); err != nil {
		return nil, c.orEnd(ctx, "cannot be asked", err)
	}
	// The extended protocol takes one statement alone; all values come as texts.
	found, err := tx.Query(ctx, text, pgx.QueryResultFormats{pgx.TextFormatCode})
	if err != nil {
		return nil, c.orEnd(ctx, "does not answer the query", err)
	}
	defer found.Close()
	fields := found.FieldDescriptions()
	if len(fields) == 0 { // the error of a statement that could not be prepared comes with the first row
		found.Next()
		if err := found.Err(); err != nil {
			return nil, c.orEnd(ctx, "does not answer the query", err)
		}
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return rows.From(c.shown, names, c.values(ctx, found))
}

// values are the texts of the rows.
func (c *database) values(ctx context.Context, found pgx.Rows) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		for found.Next() {
			raw := found.RawValues()
			texts := make([]string, len(raw))
			for i, value := range raw {
				if len(value) > mostValue {
					yield(nil, &Error{Database: c.shown, Problem: "has a value longer than " + prose.ByteCount(mostValue)})
					return
				}
				texts[i] = string(value)
			}
			if !yield(texts, nil) {
				return
			}
		}
		if err := found.Err(); err != nil {
			yield(nil, c.orEnd(ctx, "does not answer the query", err))
		}
	}
}

// orEnd is the end of the context, or what the database says.
func (c *database) orEnd(ctx context.Context, problem string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return c.failed(problem, err)
}

// failed is an error with the words of the database, without the password.
func (c *database) failed(problem string, err error) error {
	words := err.Error()
	if c.password != "" {
		words = strings.ReplaceAll(words, c.password, "xxxxx")
		words = strings.ReplaceAll(words, url.QueryEscape(c.password), "xxxxx")
		words = strings.ReplaceAll(words, url.PathEscape(c.password), "xxxxx")
	}
	return &Error{Database: c.shown, Problem: problem + ": " + prose.Reason(prose.OneLine(words))}
}
