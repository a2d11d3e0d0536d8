// Package importing takes in trials of others: from their files, and by a query with which a database counts them. It
// knows no flags.
package importing
