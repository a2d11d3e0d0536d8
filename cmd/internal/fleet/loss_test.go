package fleet

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/runner"
)

// proxy is a way to a server that can be cut, as a network can be: what is sent waits, and no end is told of it.
type proxy struct {
	listener net.Listener
	mutex    sync.Mutex
	open     *sync.Cond
	cut      bool
	ended    bool
	links    []net.Conn
}

// newProxy listens for a server.
func newProxy(t testing.TB, server string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l}
	p.open = sync.NewCond(&p.mutex)
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", server)
			if err != nil {
				from.Close()
				continue
			}
			p.mutex.Lock()
			p.links = append(p.links, from, to)
			p.mutex.Unlock()
			go p.pass(from, to)
			go p.pass(to, from)
		}
	}()
	t.Cleanup(func() {
		l.Close()
		p.set(false, true)
		for _, c := range p.links {
			c.Close()
		}
	})
	return p
}

// pass passes on what comes, while the way is not cut.
func (p *proxy) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		p.mutex.Lock()
		for p.cut && !p.ended {
			p.open.Wait()
		}
		ended := p.ended
		p.mutex.Unlock()
		if ended {
			return
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// set cuts the way, or opens it.
func (p *proxy) set(cut, ended bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.cut, p.ended = cut, p.ended || ended
	p.open.Broadcast()
}

// errandFunc does errands by a function.
type errandFunc func(context.Context, runner.Errand) runner.Report

func (f errandFunc) Do(ctx context.Context, e runner.Errand) runner.Report { return f(ctx, e) }
func (f errandFunc) Close()                                                {}

// passed is the report of a trial that passed.
func passed() runner.Report {
	return runner.Report{Record: []byte(`{"scenario":"coin","outcome":"pass","output":"x","cost_usd":0.01,"turns":1}`)}
}

// A worker whose network is cut loses its trial to another one, and what it comes to meanwhile is late, and not
// counted, when the network is there again.
func TestPartition(t *testing.T) {
	cut, lease := 3*time.Second, 1500*time.Millisecond
	if thorough.Asked() {
		cut, lease = 30*time.Second, 10*time.Second
	}
	file := writeSuite(t, suiteText(12, ""))
	f := newFleet(t, file, Options{Lease: lease})
	p := newProxy(t, f.server.Addr().String())
	type start struct {
		at     time.Time
		worker string
	}
	var mutex sync.Mutex
	begun := map[string][]start{}
	taken := make(chan struct{})
	var once sync.Once
	performs := func(name string, takes time.Duration) performer {
		return errandFunc(func(ctx context.Context, e runner.Errand) runner.Report {
			mutex.Lock()
			begun[e.ID] = append(begun[e.ID], start{time.Now(), name})
			mutex.Unlock()
			if name == "cut" {
				once.Do(func() { close(taken) })
			}
			select {
			case <-ctx.Done():
			case <-time.After(takes):
			}
			return passed()
		})
	}
	f.work(WorkerOptions{Slots: 1, Name: "cut", Address: Address{URL: "nats://" + p.listener.Addr().String()},
		perform: performs("cut", cut/2)})
	done := make(chan runSummary, 1)
	go func() { done <- f.run() }()
	<-taken
	p.set(true, false)
	cutAt := time.Now()
	f.work(WorkerOptions{Slots: 2, Name: "whole", perform: performs("whole", 10*time.Millisecond)})
	got := <-done
	if got.Verdict != "pass" || got.Errors != 0 {
		t.Errorf("found %+v", got)
	}
	mutex.Lock()
	var again []start
	for _, list := range begun {
		for _, b := range list {
			if list[0].worker == "cut" && b.worker == "whole" {
				again = append(again, b)
			}
		}
	}
	mutex.Unlock()
	if len(again) != 1 {
		t.Fatalf("of the worker that was cut off %d trials were made again", len(again))
	}
	t.Logf("it was made again %v after the cut, with a lease of %v", again[0].at.Sub(cutAt).Round(time.Millisecond), lease)
	time.Sleep(max(0, cut-time.Since(cutAt)))
	p.set(false, false)
	for range 500 {
		f.mutex.Lock()
		late := len(f.leases.late)
		f.mutex.Unlock()
		if late > 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if s := f.close(); s.Late != 1 || s.Relaunched != 1 {
		t.Errorf("%d came late, %d were made again", s.Late, s.Relaunched)
	}
}
