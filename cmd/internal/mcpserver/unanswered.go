package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// patience is how long the end of the input waits for calls that are not answered yet. Chosen: long enough for all
// that reads and judges; a run that a client has left is not to spend money for hours.
const patience = time.Minute

// drainingTransport is a transport on which the input ends only when all calls are answered, as in
// "tribunal mcp < requests". The SDK ends them with the input: seen with go-sdk 1.8.0, where that of TypeScript,
// 1.32.2, answers first.
type drainingTransport struct{ mcp.Transport }

// Connect connects.
func (t drainingTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	u := &pendingConnection{Connection: c, calls: map[jsonrpc.ID]bool{}, answered: make(chan bool, 1)}
	u.open, u.close = context.WithCancel(context.WithoutCancel(ctx))
	return u, nil
}

// pendingConnection is a connection that knows which calls have no answer yet.
type pendingConnection struct {
	mcp.Connection
	lock     sync.Mutex
	calls    map[jsonrpc.ID]bool
	answered chan bool       // gets a value after an answer, unless it has one
	open     context.Context // ends with the connection
	close    context.CancelFunc
}

// Read returns the next message, and the end of the input when all calls are answered.
func (c *pendingConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	if errors.Is(err, io.EOF) {
		c.wait(ctx)
	}
	if r, ok := message.(*jsonrpc.Request); ok {
		var cancelled struct{ RequestID any }
		switch {
		case r.IsCall():
			c.lock.Lock()
			c.calls[r.ID] = true
			c.lock.Unlock()
		case r.Method == "notifications/cancelled" && json.Unmarshal(r.Params, &cancelled) == nil:
			if id, err := jsonrpc.MakeID(cancelled.RequestID); err == nil {
				c.ended(id) // it may never be answered
			}
		}
	}
	return message, err
}

// wait waits until all calls are answered, or nobody waits for that any more.
func (c *pendingConnection) wait(ctx context.Context) {
	late := time.After(patience)
	for {
		c.lock.Lock()
		calls := len(c.calls)
		c.lock.Unlock()
		if calls == 0 {
			return
		}
		select {
		case <-c.answered:
		case <-ctx.Done():
			return
		case <-c.open.Done():
			return
		case <-late:
			return
		}
	}
}

// ended notes that a call is waited for no longer.
func (c *pendingConnection) ended(id jsonrpc.ID) {
	c.lock.Lock()
	delete(c.calls, id)
	c.lock.Unlock()
	select {
	case c.answered <- true:
	default:
	}
}

// Write writes a message, which may be an answer. Nobody waits for one that cannot be written.
func (c *pendingConnection) Write(ctx context.Context, message jsonrpc.Message) error {
	err := c.Connection.Write(ctx, message)
	if r, ok := message.(*jsonrpc.Response); ok {
		c.ended(r.ID)
	}
	return err
}

// Close closes the connection.
func (c *pendingConnection) Close() error {
	c.close()
	return c.Connection.Close()
}
