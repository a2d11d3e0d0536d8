// Package mark writes outcomes as letters, as results do: P for pass, F for fail, E for
// error, and ? where nobody judged. A string of them stands for the trials of a test in
// launch order, a byte a trial; what a '.' means there is up to who writes it.
package mark
