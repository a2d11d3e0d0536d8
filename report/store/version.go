package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// mostListed is the number of runs of a version that a statement lists: of more, some are found soon.
const mostListed = 400

// ofVersion is a condition on runs r that a version narrows them to, beside that they have it: so few runs as have a
// rare one, and of a common one those up to the last that has it. Without it a version that few runs have, or old ones,
// would be looked for in all of them.
func (s *Store) ofVersion(ctx context.Context, version string) (string, []any, error) {
	rows, err := s.db.QueryContext(ctx,
		s.bind(fmt.Sprintf("SELECT run FROM part WHERE version = ? LIMIT %d", mostListed+1)),
		version)
	if err != nil {
		return "", nil, err
	}
	numbers, err := collect(rows, func(rows *sql.Rows) (n int64, err error) { return n, rows.Scan(&n) })
	switch {
	case err != nil:
		return "", nil, err
	case len(numbers) == 0:
		return " AND 1 = 0", nil, nil
	case len(numbers) > mostListed:
		return " AND r.started <= (SELECT max(started) FROM part WHERE version = ?)", []any{version}, nil
	}
	list := make([]string, len(numbers))
	for i, n := range numbers {
		list[i] = fmt.Sprint(n)
	}
	return " AND r.number IN (" + strings.Join(list, ",") + ")", nil, nil
}
