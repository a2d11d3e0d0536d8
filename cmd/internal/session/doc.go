// Package session ends a command that was interrupted: which signals do so, for how long it is waited for, and what
// must not stay when it is left.
//
//	defer session.Of(ctx).Tend()() // programs run, which the command has to end itself
package session
