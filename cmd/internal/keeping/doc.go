// Package keeping keeps in a store what a command judged: the trials, which a [Spool] holds until it is known what
// comes of them, and what is known of their run.
package keeping
