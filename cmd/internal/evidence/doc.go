// Package evidence reads what commands judge: recordings in files, folders and stores, saved results, counts, labels
// and contracts, within the memory that a command may take. [ReadOptions] says how, and [Read] does it.
//
//	err := evidence.Read(ctx, a, files, r.Options("", 0), evidence.Counted, add)
package evidence
