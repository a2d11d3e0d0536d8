package listen

import (
	"context"
	"fmt"
	"net"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/web"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/door"
)

// Pages are pages that are served while something else goes on.
type Pages struct {
	Address string // of the first page
	cancel  context.CancelFunc
	Broken  chan struct{} // closed when it has ended
	err     error         // why, where it ended by itself; read after broken
}

// End ends it, and returns why it could not be served.
func (s *Pages) End() error {
	if s == nil {
		return nil
	}
	s.cancel()
	<-s.Broken
	return s.err
}

// Serve begins to serve pages, whose address has a secret where there is no token. The end of the context alone does
// not end it.
func Serve(ctx context.Context, a *world.World, o web.Options, listen string) (*Pages, error) {
	folder := ""
	if o.Token == "" {
		o.Secret = door.NewSecret()
		folder = o.Secret + "/"
	}
	server, err := web.New(o)
	if err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, problem.Unavailable(fmt.Sprintf("nothing can listen on %s: %v", listen, err), "port 0 is a free one")
	}
	within, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &Pages{Address: fmt.Sprintf("http://%s/%s", listener.Addr(), folder), cancel: cancel,
		Broken: make(chan struct{})}
	go func() {
		defer close(s.Broken)
		s.err = server.Serve(within, listener)
	}()
	return s, nil
}
