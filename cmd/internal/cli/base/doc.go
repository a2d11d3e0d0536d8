// Package base is what every command stands on. [App] has the streams, the environment and the clock; it runs a tree of
// commands ([App.Run]), completes their flags from variables, the suite file and the store ([App.With]), delivers their
// results ([App.Deliver]) and tells a person what is worth knowing ([App.Notice]).
//
//	command.RunE = a.With(func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
//		return a.Deliver(ctx, nil, func(w io.Writer) error { ... })
//	})
//
// Here is what all commands have. What some of them share has a package of its own; see package cli.
package base
