// Package web answers a browser: pages over a store and over the journal of a run in progress. Package report/site
// writes them; here is what is asked, by whom, and how much work one request may make.
//
//	server, err := web.New(web.Options{Store: s})
//	err = server.Serve(ctx, listener)
//
// Nothing can be changed through it: only GET is answered. A request must name the server by its own address, so that
// no page of another site reaches it by a name that leads here; where there is a token, it must be told. guard.go has
// these rules, pages.go and the files after its lists the pages, status.go says which suites do not pass, live.go has
// the events of a run, and follow.go reads a journal that grows.
package web
