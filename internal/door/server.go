package door

import (
	"context"
	"net/http"
	"time"
)

// Server returns a server that no client holds by a head that it does not finish, by one that is long, or by a
// connection that it does not use. The time of a request and of its answer is not bounded: those of models take long.
func Server(handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
	}
}

// End lets nobody in any more, and waits for answers that are under way, but not for longer.
func End(s *http.Server, longest time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	if s.Shutdown(ctx) != nil {
		_ = s.Close()
	}
}
