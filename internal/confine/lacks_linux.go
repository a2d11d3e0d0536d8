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
	why := lackOfWrites()
	if r.Network != Host {
		err := tried(why == "" && !r.WritesAnywhere)
		if e, ok := errors.AsType[*Error](err); ok && e.Step == stepOfWrites {
			why, err = e.Err.Error(), tried(false)
		}
		if err != nil {
			lacks = append(lacks, Lack{Sockets, lackOfNetwork(err)})
		}
	}
	if !r.WritesAnywhere && why != "" {
		lacks = append([]Lack{{Writes, why}}, lacks...)
	}
	return lacks
}

// tried is tryNetwork, once.
func tried(writes bool) error {
	if writes {
		return triedWithWrites()
	}
	return triedAlone()
}

var (
	triedAlone      = sync.OnceValue(func() error { return tryNetwork(false) })
	triedWithWrites = sync.OnceValue(func() error { return tryNetwork(true) })
)

// tryNetwork starts nothing, in a network of its own. With writes what holds them is tried too, as there is a namespace
// of mounts then.
func tryNetwork(writes bool) error {
	ctx, end := context.WithTimeout(context.Background(), patience)
	defer end()
	const anyPort = 0
	rules := Rules{WritesAnywhere: !writes, Network: Wire, Port: anyPort, Serve: func(net.Listener) {}}
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
