// Package fleet runs the trials of a suite on other machines, over NATS JetStream.
//
// A [Coordinator] is a [runner.Agent]: the journal, the order in which trials are judged, the budgets and resuming stay
// in package runner. A trial goes into a work queue in memory as an errand; a worker, see [Work], takes it, asks the
// coordinator for a lease, runs the agent of the suite and reports what came of it. The journal is the database: what
// the queue loses with its server is put into it again, and nothing is acknowledged before the journal has it.
//
// # Leases
//
// The coordinator alone says who has an errand, and gives each lease an epoch, larger than any before. A worker renews
// its leases each third of their time. What comes of a lease that is over is counted as late and never as a trial,
// whoever delivers it; the errand is handed out again by the queue, which waits as long for its acknowledgement.
//
// # What survives what
//
//   - A worker is killed, or cut off: its lease runs out, and another worker has the errand, three times at most.
//   - The server of the queue is killed: workers go on, and the coordinator makes the queue anew once there is one.
//   - The coordinator is killed: workers go on and keep what came of their errands. Who resumes the run waits for them
//     for the time of a lease, and hands out again what nobody had.
//
// # Trust
//
// Coordinator and workers share a token, which is never sent: keys are derived from it, one that opens the server and
// one that authenticates every message. A worker runs no suite that was not signed with it.
//
// # Which file to open
//
// coordinator.go has the agent, lease.go who has which errand, queue.go the streams, worker.go and work.go the other
// side; message.go what is sent, bundle.go the files of a suite, connect.go servers and how they are reached, rate.go
// how fast attempts may begin, and tally.go what is told of workers in the end.
package fleet
