//go:build unix

package process

import "syscall"

// follow reads the standard error until it ends.
func (c *complaints) follow() {
	pipe, err := c.file.SyscallConn()
	if err != nil {
		return // not reached: the file is open
	}
	for going := true; going; {
		err := pipe.Read(func(fd uintptr) (ready bool) {
			ready, going = c.read(fd)
			return ready
		})
		going = going && err == nil
	}
}

// read reads what there is, without waiting. The lock is held from the reading to the keeping, so that two who
// read keep the order.
func (c *complaints) read(fd uintptr) (ready, going bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for {
		n, err := syscall.Read(int(fd), c.buffer)
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			return false, true
		case err != nil || n <= 0:
			return true, false
		default:
			_, err = c.Write(c.buffer[:n])
			return true, err == nil
		}
	}
}

// catchUp reads what the program wrote until now: what it wrote before it answered is in the pipe by then.
func (c *complaints) catchUp() {
	pipe, err := c.file.SyscallConn()
	if err != nil {
		return
	}
	_ = pipe.Control(func(fd uintptr) {
		for ready, going := true, true; ready && going; {
			ready, going = c.read(fd)
		}
	})
}
