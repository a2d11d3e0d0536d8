package rewrite

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/tribunal-dev/tribunal/suite/mutation"
	"github.com/tribunal-dev/tribunal/wire"
)

// Name is that of events: what was changed in which request.
const Name = "mutant"

// Rewrite changes the requests of one attempt as a mutant says. It is a [wire.Act].
type Rewrite struct {
	mutant mutation.Mutant
	models mutation.Models

	mutex   sync.Mutex
	asked   int
	applied int
}

// New changes requests by a mutant. The models that could stand in for the agent's are those of the configuration that
// the mutant was made of: no request has them.
func New(m mutation.Mutant, models mutation.Models) *Rewrite {
	return &Rewrite{mutant: m, models: models}
}

// Applied is in how many requests to models the mutant changed something; 0: it is inert.
func (a *Rewrite) Applied() int {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.applied
}

// Asked is how many requests to models were understood.
func (a *Rewrite) Asked() int {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.asked
}

// RoundTrip changes a request to a model. One in no known form passes as it is, and so does one that has nothing that
// the mutant changes.
func (a *Rewrite) RoundTrip(r *wire.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	if r.Dialect != "" {
		applied := a.rewrite(r)
		a.mutex.Lock()
		a.asked++
		if applied {
			a.applied++
		}
		a.mutex.Unlock()
	}
	return next(r.HTTP)
}

// rewrite changes a request; false: nothing in it.
func (a *Rewrite) rewrite(r *wire.Request) bool {
	body, model, ok := a.changed(r.Dialect, r.Path, r.Body)
	if !ok {
		return false
	}
	r.HTTP.Body, r.HTTP.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.HTTP.GetBody = nil
	if model != "" { // which Gemini has in the path
		at := r.HTTP.URL
		at.Path, at.RawPath = inPath(at.Path, model), ""
	}
	// An act behind this one sees what goes up.
	r.Body = body
	r.Tell(wire.Event{Act: Name, Name: a.mutant.Operator, Detail: a.mutant.ID + ": " + a.mutant.Site.String()})
	return true
}

// changed is the body of a request with the change of the mutant, and the model that its path is to have; "" stays.
func (a *Rewrite) changed(dialect, path string, body []byte) (made []byte, model string, ok bool) {
	q, err := read(dialect, path, body)
	if err != nil {
		return nil, "", false
	}
	before := q.configuration()
	before.Models = a.models
	after, err := a.mutant.Apply(before)
	if err != nil {
		return nil, "", false
	}
	for _, component := range before.Changed(after) {
		switch component {
		case mutation.PromptComponent:
			err = q.putPrompt(mutation.Unmarked(after.Prompt))
		case mutation.ToolsComponent:
			err = q.putTools(after.Tools)
		case mutation.ModelComponent:
			model, err = q.putModel(after)
		case mutation.ContextComponent:
			err = q.putContext(after.Context)
		default:
			err = fmt.Errorf("%s are no part of a request", component)
		}
		if err == nil {
			q, err = read(dialect, path, q.body) // places have moved
		}
		if err != nil {
			return nil, "", false
		}
	}
	return q.body, model, true
}

// Body is what a request becomes whose body and path are given; false where the mutant changes nothing in its body.
func (a *Rewrite) Body(dialect, path string, body []byte) ([]byte, bool) {
	made, _, ok := a.changed(dialect, path, body)
	return made, ok && !bytes.Equal(made, body)
}

// inPath puts a model in the place of that of a path, such as /v1beta/models/NAME:generateContent.
func inPath(path, model string) string {
	begin := strings.LastIndex(path, "/models/")
	end := strings.LastIndexByte(path, ':')
	if begin < 0 || end < begin {
		return path
	}
	return path[:begin+len("/models/")] + model + path[end:]
}

// Learn keeps what the first request of an attempt says of the agent's configuration. It is a [wire.Act].
type Learn struct {
	mutex   sync.Mutex
	learned *mutation.Configuration
}

// RoundTrip looks at a request, and passes it on as it is.
func (l *Learn) RoundTrip(r *wire.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	if c, err := Configuration(r.Dialect, r.Path, r.Body); err == nil {
		l.mutex.Lock()
		if l.learned == nil {
			l.learned = &c
		}
		l.mutex.Unlock()
	}
	return next(r.HTTP)
}

// Learned is the configuration of the first request to a model; false where there was none.
func (l *Learn) Learned() (mutation.Configuration, bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.learned == nil {
		return mutation.Configuration{}, false
	}
	return *l.learned, true
}

// Configuration is what a request says of the agent's configuration, by the names that package wire has for its form
// and its path. The error says that the form is not known, or the body no such request.
func Configuration(dialect, path string, body []byte) (mutation.Configuration, error) {
	q, err := read(dialect, path, body)
	if err != nil {
		return mutation.Configuration{}, err
	}
	c := q.configuration()
	return c, c.Check()
}
