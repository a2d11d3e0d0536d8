// Package base is what every command stands on: it runs a tree of commands ([Run]), completes their flags from
// variables, the suite file and the store ([With]), and prints help.
//
//	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
//		return a.Deliver(ctx, nil, func(w io.Writer) error { ... })
//	})
//
// Here is what all commands have. What some of them share has a package of its own; see package cli.
package base
