package store

import (
	"context"
	"database/sql"
	"strings"
)

// Looks is a ledger of looks in the store, as package looks has it: it calls a function with all lines, and adds the
// line that it returns; nil adds none. Nobody else writes meanwhile. The table is made with the first line, so that
// earlier versions of this program know the store.
func (s *Store) Looks(ctx context.Context, add func(text []byte) (line []byte, err error)) error {
	return s.again(ctx, "cannot count analyses", func() error {
		return s.inside(ctx, func(tx *sql.Tx) error {
			// In SQLite, every transaction is alone.
			statements := []string{"CREATE TABLE IF NOT EXISTS look (number {serial}, line TEXT NOT NULL)"}
			if s.dialect == postgres {
				statements = append([]string{"SELECT pg_advisory_xact_lock(8317160448)"}, statements...)
			}
			for _, statement := range statements {
				if _, err := tx.ExecContext(ctx, s.dialect.schema.Replace(statement)); err != nil {
					return err
				}
			}
			text, err := linesOf(ctx, tx)
			if err != nil {
				return err
			}
			line, err := add([]byte(text))
			if err != nil || line == nil {
				return err
			}
			_, err = tx.ExecContext(ctx, s.bind("INSERT INTO look (line) VALUES (?)"), string(line))
			return err
		})
	})
}

// linesOf are the lines of the ledger in their order.
func linesOf(ctx context.Context, tx *sql.Tx) (string, error) {
	rows, err := tx.QueryContext(ctx, "SELECT line FROM look ORDER BY number")
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var b strings.Builder
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return "", err
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String(), rows.Err()
}
