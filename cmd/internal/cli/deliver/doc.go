// Package deliver says where the result of a command goes: [Flags] are --json, --output, --report, --sign and their
// like, and end a command with the exit code of its verdict.
//
//	return f.result.Conclude(ctx, a, to, result)
package deliver
