// Package journal writes and reads the file in which a run notes what it does.
//
// A journal is JSON lines. The first is the [Header], which says of what run it is;
// each of the others tells of one thing that happened:
//
//	{"header":{"journal":1,"suite":"sha256:…","seed":7,"tests":[…],"version":"1.0"}}
//	{"launched":{"test":"a","scenario":"x","trial":0,"attempt":0,"seed":11}}
//	{"finished":{"scenario":"x","trial":0,"attempt":0,"spent":{…},"elapsed_s":1.5,"record":{…}}}
//	{"decision":{"test":"a","design":"sha256:…","outcome":"pass","trials":1,"failures":0,"errors":0}}
//	{"extended":{"test":"a","more":100,"design":"sha256:…"}}
//	{"calibrated":{"record":52,"wanted":52}}
//
// Where a run has variants of the agent, tests, launches and ends name theirs: "variant":"new".
// Launches and ends of the side that the agent is tested against have "baseline":true.
//
// An end of an attempt that was made again has "retry":true and its cause, one of an attempt that was running when
// an earlier session ended has "lost":true and a record that is an error.
//
// At the end of each line stands its value in a [Chain], such as "chain":"5d41402abc4b2a76b9719d911017c592", which
// tells a line that was changed, dropped, doubled or moved. Lines of earlier versions have none.
//
// Lines are appended and never changed. A run that is killed leaves whole lines and
// perhaps the beginning of one more, which is left out when the journal is read.
//
// [Begin] and [Resume] return a [Writer]; [Read] returns the [History] that a journal
// tells; [ParseLine] reads a single line, for readers that make do with what is left
// of a damaged file.
//
// line.go has the lines as they are written, spend.go what attempts took; writer.go appends, and
// internal/filelock keeps other runners out; history.go reads, chain.go and header.go check that
// nothing was changed and that the run is the same. shard.go has what the journal of a part of a run tells.
package journal
