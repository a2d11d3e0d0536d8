// Package mark writes outcomes as letters.
package mark
