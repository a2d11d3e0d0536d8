// Package warehouse writes the query by which a database counts trials: one row for each variant and scenario,
// with counts and sums in place of the trials, so that a billion of them are some thousand rows.
//
//	query, err := warehouse.Query{Dialect: warehouse.Postgres, Format: warehouse.Table, Table: "trials"}.SQL()
//
// Where to look: query.go has what is asked for, and the part of the query that all formats share; dialect.go what
// databases have of their own; name.go the names of tables and columns; table.go, otel.go and langfuse.go make
// trials of rows, spans and observations.
package warehouse
