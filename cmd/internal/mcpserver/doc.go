// Package mcpserver lets agents ask for verdicts by the Model Context Protocol: tools that
// each run one command of the command line, and resources of what was saved and of the methods.
//
// The main type is [Server]. An agent that asks until it hears yes is not to hear a false one:
// every look at a task takes its part of the errors from the ledger of package looks before it is
// judged. Answers are bounded, and what recordings say in them is marked as data.
//
//	s, err := mcpserver.New(mcpserver.Options{Root: ".", Level: 0.05, Command: run})
//	err = s.Serve(ctx, os.Stdin, os.Stdout)
package mcpserver
