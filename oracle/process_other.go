//go:build !unix

package oracle

import "os/exec"

// ownGroup changes nothing: the command alone is killed where its context ends.
func ownGroup(*exec.Cmd) {}

func killGroup(*exec.Cmd) {}
