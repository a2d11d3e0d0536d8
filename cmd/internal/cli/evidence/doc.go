// Package evidence reads what commands judge: recordings in files, folders and stores, saved results, counts, labels
// and contracts, within the memory that a command may take. [Flags] say how, and [Read] does it.
//
//	err := evidence.Read(ctx, a, files, f.evidence.Options(flags, "", 0), evidence.Counted, add)
package evidence
