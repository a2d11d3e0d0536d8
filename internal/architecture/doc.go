// Package architecture holds the test of the rules that say which package of this
// module may import which. Its code, folders.go, is the order of the folders at the top and what is
// public; the plan of the floors is in floors_test.go, and a new package adds its line there.
//
// An import points to a lower floor, never to the same one and never up. From the
// ground:
//
//   - What knows nothing of trials: tables of text, near words, random numbers of a
//     seed, exit codes, reference values for tests, and the tests of the repository itself.
//   - stats (numbers in, numbers out), trial (the vocabulary: a trial, its steps, its
//     outcome, and their JSON lines) and the starting of programs. stats and trial
//     import one module each beside the standard library.
//   - What asks one question about trials: sprt (may a test stop here?), fingerprint
//     (does it behave differently?), coverage (what was not tried?), oracle (did it
//     pass?), and above oracle its contracts. trial/journal stands here too, the file
//     in which a run notes what it does: ingest reads it as well. fingerprint compares
//     beside Hotelling's test, below it, and at looks on the way, above it.
//   - verdict, where evidence and a rule become Pass, Fail or Inconclusive, and suite,
//     the file that says what to run and how to judge it. Above verdict what several
//     judges need (recorded trials, designs), then the judges, a package each, and
//     verdict/verify, which reads every result and judges it again.
//   - Where trials come from: ingest reads what other tools recorded, beside it the
//     drawings, and the documents that reports are made of. Its parts stand further
//     down: a kernel, rules, and a family of decoders for each kind of log, which see the
//     kernel alone. On top runner starts an agent, whose output ingest reads.
//   - report, which renders a result and computes nothing.
//   - The commands: cmd/internal/cli with the flags, the streams and the exit codes, in it
//     what commands share and then a package for each group of them, and cmd on top. bench
//     simulates agents whose rates are known and measures the rest.
//
// Some libraries have one door: tables are laid out by internal/table, curves drawn by
// report/chart, flags read by cmd/internal/cli. gonum stays on the lowest floors.
package architecture
