// Package app is what the commands of tribunal do, without the flags that ask for it and
// the streams that tell of it: it finds and loads suites, reads saved results and the
// evidence of a gate, and writes files whole or not at all.
//
// Its errors say by methods what is wrong, what to do about it and with which exit code
// they end a command; see package cli, which prints them.
package app
