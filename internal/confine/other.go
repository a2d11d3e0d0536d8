//go:build !linux

package confine

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
)

var errLinux = errors.New("only Linux can, and this is " + runtime.GOOS)

// Main does nothing: on this system no program is confined.
func Main() {}

// Lacks are all parts that are asked for.
func (r Rules) Lacks() (lacks []Lack) {
	if !r.WritesAnywhere {
		lacks = append(lacks, Lack{Writes, errLinux.Error()})
	}
	if r.Network != Host {
		lacks = append(lacks, Lack{Sockets, errLinux.Error()})
	}
	return lacks
}

// HeldProgram is a program that is to be confined, which none is here.
type HeldProgram struct{}

// Hold refuses all but rules that hold nothing.
func (r Rules) Hold(*exec.Cmd) (*HeldProgram, error) {
	if r.empty() {
		return nil, nil
	}
	return nil, &Error{"the system", errLinux}
}

// Begun does nothing.
func (*HeldProgram) Begun(context.Context) error { return nil }

// Close does nothing.
func (*HeldProgram) Close() {}
