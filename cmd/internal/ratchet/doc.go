// Package ratchet runs a loop that improves files attempt by attempt, and never goes backwards: programs that ask
// models make and mend an attempt, tests say how good it is, and it takes the champion's place where it is better.
//
//	config, err := ratchet.Load(ctx, "ratchet.yaml")
//	loop, err := ratchet.Open(ctx, config, ratchet.Options{Resume: true})
//	defer loop.Close()
//	result, err := loop.Run(ctx)
//
// # What lies on disk
//
// The files of the project are those of the champion at every instant. An attempt is made in a copy of the project and
// tested in another one, and its files are put in place once it has won: each is replaced whole. What was done is in a
// journal, written down before anything follows of it, so that a loop that was killed continues where it stopped and
// comes to the same end. Where several files may change, one that is killed between two of them leaves both until it
// goes on.
//
// # What an attempt cannot do
//
// It is judged in a copy that has the champion's everything but the files that may change: what else it wrote is not
// there. What is protected, the tests above all, is hashed before each program and after it: a change is undone, and
// the attempt has failed. A guard and the caps end a program at once, and with it the loop.
//
// # Which file to open
//
//   - config.go, decode.go: [Config], the file ratchet.yaml
//   - loop.go: the loop; attempt.go what is done in an attempt
//   - stage.go: programs and their answers, on the wire where that is asked for; prompt.go what they are told;
//     extract.go the files in an answer
//   - tests.go: a test command; session.go, pairs.go: trials by pairs, for suites
//   - project.go: copies, hashes; journal.go: what was done
package ratchet
