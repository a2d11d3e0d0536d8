//go:build !unix

package process

import "io"

// lockedWriter is the complaints as a writer that takes the lock.
type lockedWriter struct{ *complaints }

// Write takes the lock and keeps the text.
func (l lockedWriter) Write(text []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.complaints.Write(text)
}

// follow reads the standard error until it ends.
func (c *complaints) follow() { _, _ = io.Copy(lockedWriter{c}, c.file) }

// catchUp does nothing: a pipe cannot be looked into here.
func (c *complaints) catchUp() {}
