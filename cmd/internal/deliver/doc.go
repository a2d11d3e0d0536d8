// Package deliver says where the result of a command goes: a [Target] writes it, its reports and its signature, and
// ends a command with the exit code of its verdict.
//
//	return target.Conclude(ctx, a, to, result)
//	return target.Show(ctx, a, to, document) // of what is no result
package deliver
