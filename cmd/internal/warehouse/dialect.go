package warehouse

import (
	"fmt"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/enum"
)

// Dialect is the SQL of a database.
type Dialect uint8

// The dialects.
const (
	DuckDB Dialect = iota
	Postgres
	BigQuery
	Snowflake
	ClickHouse
	Spark // also Databricks
)

var dialectNames = enum.Of[Dialect]("dialect", "duckdb", "postgres", "bigquery", "snowflake", "clickhouse", "spark")

// String returns the name, such as "duckdb".
func (d Dialect) String() string { return dialectNames.String(d) }

// Dialects are all of them.
func Dialects() []Dialect {
	return []Dialect{DuckDB, Postgres, BigQuery, Snowflake, ClickHouse, Spark}
}

// backslashes reports whether a backslash in a literal begins an escape.
func (d Dialect) backslashes() bool { return d != Postgres && d != DuckDB }

// literal is a text between quotation marks.
func (d Dialect) literal(text string) string {
	switch {
	case d.backslashes():
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
	case d == Postgres && strings.Contains(text, `\`):
		// Whatever standard_conforming_strings says.
		return "E'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(text) + "'"
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// quoted is a name between quotation marks.
func (d Dialect) quoted(name string) string {
	switch d {
	case BigQuery, ClickHouse:
		return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(name) + "`"
	case Spark:
		return "`" + strings.ReplaceAll(name, "`", "``") + "`"
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// folded is a name as the database takes one that is written without quotation marks.
func (d Dialect) folded(name string) string {
	switch d {
	case Postgres:
		return strings.ToLower(name)
	case Snowflake:
		return strings.ToUpper(name)
	}
	return name
}

// text casts a value to a text.
func (d Dialect) text(expr string) string {
	kind := map[Dialect]string{
		DuckDB: "VARCHAR", Postgres: "TEXT", BigQuery: "STRING", Snowflake: "VARCHAR", ClickHouse: "Nullable(String)",
		Spark: "STRING",
	}[d]
	return "CAST(" + expr + " AS " + kind + ")"
}

// double casts a number to one in floating point, so that sums neither overflow nor are cut.
func (d Dialect) double(expr string) string {
	kind := map[Dialect]string{
		DuckDB: "DOUBLE", Postgres: "DOUBLE PRECISION", BigQuery: "FLOAT64", Snowflake: "DOUBLE",
		ClickHouse: "Nullable(Float64)", Spark: "DOUBLE",
	}[d]
	return "CAST(" + expr + " AS " + kind + ")"
}

// numeral is what a text is that holds a number which is not negative.
const numeral = `^[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?$`

// number reads a text as a number that is not negative; NULL where it is none.
func (d Dialect) number(expr string) string {
	read := map[Dialect]string{
		DuckDB: "TRY_CAST(%s AS DOUBLE)", Postgres: "CAST(%s AS DOUBLE PRECISION)", BigQuery: "SAFE_CAST(%s AS FLOAT64)",
		Snowflake: "TRY_TO_DOUBLE(%s)", ClickHouse: "toFloat64OrNull(ifNull(%s, ''))", Spark: "TRY_CAST(%s AS DOUBLE)",
	}[d]
	return "CASE WHEN " + d.matches(expr, numeral, false) + " THEN " + fmt.Sprintf(read, expr) + " END"
}

// matches compares a text with a regular expression, with small letters for large ones where fold says so.
func (d Dialect) matches(expr, pattern string, fold bool) string {
	if fold && d != Postgres && d != DuckDB {
		pattern = "(?i)" + pattern
	}
	literal := d.literal(pattern)
	switch d {
	case Postgres:
		if fold {
			return expr + " ~* " + literal
		}
		return expr + " ~ " + literal
	case DuckDB:
		if fold {
			return "regexp_matches(" + expr + ", " + literal + ", 'i')"
		}
		return "regexp_matches(" + expr + ", " + literal + ")"
	case BigQuery:
		return "REGEXP_CONTAINS(" + expr + ", " + literal + ")"
	case Snowflake: // it has no inner flags
		literal = d.literal(strings.TrimPrefix(pattern, "(?i)"))
		if fold {
			return "REGEXP_INSTR(" + expr + ", " + literal + ", 1, 1, 0, 'i') > 0"
		}
		return "REGEXP_INSTR(" + expr + ", " + literal + ") > 0"
	case ClickHouse:
		return "match(ifNull(" + expr + ", ''), " + literal + ")"
	}
	return expr + " RLIKE " + literal
}

// identifiers are what differs in names of runs: those of package ingest omit them of scenarios.
const identifiers = `[ ._:/-]*[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`

// withoutIDs is a name without the ids of runs.
func (d Dialect) withoutIDs(expr string) string {
	literal := d.literal(identifiers)
	switch d {
	case Postgres, DuckDB:
		return "TRIM(REGEXP_REPLACE(" + expr + ", " + literal + ", '', 'g'))"
	case ClickHouse:
		return "trimBoth(replaceRegexpAll(ifNull(" + expr + ", ''), " + literal + ", ''))"
	}
	return "TRIM(REGEXP_REPLACE(" + expr + ", " + literal + ", ''))"
}

// member is the text of a member of a column that holds a JSON object, or a map in ClickHouse; NULL where there is
// none.
func (d Dialect) member(column, key string) string {
	// A path of a JSON object: the key between quotation marks, with a backslash before its own.
	path := func(quote string) string {
		return quote + strings.NewReplacer(`\`, `\\`, quote, `\`+quote).Replace(key) + quote
	}
	switch d {
	case Postgres:
		return "(" + column + " ->> " + d.literal(key) + ")"
	case DuckDB:
		return "json_extract_string(" + column + ", " + d.literal("$."+path(`"`)) + ")"
	case BigQuery:
		return "JSON_VALUE(" + column + ", " + d.literal("$."+path(`"`)) + ")"
	case Snowflake:
		return "CAST(GET(" + column + ", " + d.literal(key) + ") AS VARCHAR)"
	case ClickHouse:
		return "NULLIF(" + column + "[" + d.literal(key) + "], '')"
	}
	return "GET_JSON_OBJECT(" + column + ", " + d.literal("$["+path("'")+"]") + ")"
}

// digest is the MD5 of a text, in hexadecimal digits.
func (d Dialect) digest(expr string) string {
	switch d {
	case BigQuery:
		return "TO_HEX(MD5(" + expr + "))"
	case ClickHouse:
		return "lower(hex(MD5(ifNull(" + expr + ", ''))))"
	}
	return "MD5(" + expr + ")"
}

// first joins the texts of a group whose place is at most so many, in the order of the place.
func (d Dialect) first(expr, place string, most int) string {
	some := fmt.Sprintf("CASE WHEN %s <= %d THEN %s END", place, most, expr)
	switch d {
	case BigQuery:
		return "STRING_AGG(" + some + ", ' ' ORDER BY " + place + ")"
	case Snowflake:
		return "LISTAGG(" + some + ", ' ') WITHIN GROUP (ORDER BY " + place + ")"
	case ClickHouse:
		return fmt.Sprintf("arrayStringConcat(arrayMap(x -> tupleElement(x, 2), "+
			"arraySort(groupArrayIf((%s, ifNull(%s, '')), %s <= %d))), ' ')", place, expr, place, most)
	case Spark:
		return fmt.Sprintf("ARRAY_JOIN(TRANSFORM(ARRAY_SORT(COLLECT_LIST(CASE WHEN %s <= %d THEN "+
			"NAMED_STRUCT('place', %s, 'id', %s) END)), x -> x.id), ' ')", place, most, place, expr)
	}
	return "STRING_AGG(" + some + ", ' ' ORDER BY " + place + ")"
}

// seconds is the time from one point of time to another.
func (d Dialect) seconds(from, to string) string {
	switch d {
	case Postgres:
		return d.double("EXTRACT(EPOCH FROM (" + to + " - " + from + "))")
	case DuckDB:
		return "DATE_DIFF('microsecond', " + from + ", " + to + ") / 1e6"
	case BigQuery:
		return "TIMESTAMP_DIFF(" + to + ", " + from + ", MICROSECOND) / 1e6"
	case Snowflake:
		return "TIMESTAMPDIFF(MICROSECOND, " + from + ", " + to + ") / 1e6"
	case ClickHouse:
		return "dateDiff('microsecond', " + from + ", " + to + ") / 1e6"
	}
	return "(UNIX_MICROS(" + to + ") - UNIX_MICROS(" + from + ")) / 1e6"
}

// at is a point of time, in UTC.
func (d Dialect) at(t time.Time) string {
	text := t.UTC().Format("2006-01-02 15:04:05.000000")
	switch d {
	case Postgres:
		return "TIMESTAMPTZ '" + text + "+00'"
	case DuckDB:
		return "TIMESTAMP '" + text + "'"
	case Snowflake:
		return "CAST('" + text + " +00:00' AS TIMESTAMP_TZ)"
	case ClickHouse:
		return "toDateTime64('" + text + "', 6, 'UTC')"
	}
	return "TIMESTAMP '" + text + "+00:00'"
}
