// Package outfile writes the files of commands: whole or not at all, with the mode that --file-mode says, and with a
// signature beside them where they are signed.
//
//	to, err := outfile.New("--output", path) // before the work begins
//	err = to.Write(ctx, text)
package outfile
