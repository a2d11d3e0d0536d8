package confine

import (
	"context"
	"errors"
	"net"
	"os/exec"
	"sync"
	"syscall"
)

// Lacks are the parts of the rules that this machine cannot hold, with the reason. A network is tried: whether
// namespaces can be had is a matter of kernels, their settings, containers and security modules.
func (r Rules) Lacks() (lacks []Lack) {
	if !able.Load() {
		return []Lack{{Writes, errUnable.Error()}, {Sockets, errUnable.Error()}}
	}
	if !r.WritesAnywhere {
		if why := lackOfWrites(); why != "" {
			lacks = append(lacks, Lack{Writes, why})
		}
	}
	if r.Network != Host {
		if err := tried(); err != nil {
			lacks = append(lacks, Lack{Sockets, lackOfNetwork(err)})
		}
	}
	return lacks
}

// tried is tryNetwork, once.
var tried = sync.OnceValue(tryNetwork)

// tryNetwork starts nothing, in a network of its own.
func tryNetwork() error {
	ctx, end := context.WithTimeout(context.Background(), patience)
	defer end()
	const anyPort = 0
	rules := Rules{WritesAnywhere: true, Network: Wire, Port: anyPort, Serve: func(net.Listener) {}}
	cmd := &exec.Cmd{}
	held, err := rules.hold(cmd, "", nil)
	if err != nil {
		return err
	}
	defer held.Close()
	if err := cmd.Start(); err != nil {
		return &Error{"namespaces of its own", err}
	}
	defer cmd.Wait()
	if err := held.Begun(ctx); err != nil {
		_ = cmd.Process.Kill()
		return err
	}
	return nil
}

// lackOfNetwork says why a network of its own cannot be had, and what most often is behind that.
func lackOfNetwork(err error) string {
	why := err.Error()
	if e, ok := errors.AsType[*Error](err); ok {
		why = e.Step + ": " + e.Err.Error()
	}
	switch {
	case errors.Is(err, syscall.EPERM), errors.Is(err, syscall.EACCES):
		why += " (namespaces of users may be kept from it by a container, or by kernel.apparmor_restrict_unprivileged_userns)"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EINVAL):
		why += " (the kernel has no namespaces of users, or user.max_user_namespaces is 0)"
	}
	return why
}
