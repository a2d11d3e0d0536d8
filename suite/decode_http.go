package suite

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
	"golang.org/x/net/http/httpguts"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/wire/endpoint"
)

// http reads an agent that listens at an address, over the one that is there: of a variant, what it does not say is
// the agent's.
func (d *decoder) http(n *yaml.Node, a *Agent) {
	h := HTTP{Method: "POST"}
	over := a.HTTP != nil
	if over {
		h = *a.HTTP
		h.Headers = maps.Clone(h.Headers)
	}
	found := d.Object(n,
		key{Name: "url", About: "http or https; {input}, {input.PATH}, {seed}, {trial}, {scenario}, " +
			"{variant} and {id} stand for values, ${NAME} for variables",
			Needed: !over && !d.Describes(), Advice: "such as url: https://agent.example/run", Read: func(n *yaml.Node) {
				if text, ok := d.holding(n); ok && d.isAddress(n, text) {
					h.URL = text
				}
			}},
		key{Name: "method", About: "default POST",
			Read: yamlnode.Word(&d.Decoder, &h.Method, "POST", "GET", "PUT", "PATCH")},
		key{Name: "headers", About: "such as Authorization: Bearer ${API_KEY}; never kept",
			Read: func(n *yaml.Node) { d.headers(n, &h) }},
		key{Name: "body", About: "JSON; default: scenario, input, trial, seed. A text {input} alone " +
			"becomes the input", Read: func(n *yaml.Node) {
			h.Body = d.JSON(n)
			d.bodyTexts(n)
		}},
		key{Name: "response", About: "paths into the answer; default: it is read in the format of output",
			Read: func(n *yaml.Node) { d.response(n, &h.Response) }},
		key{Name: "async", About: "an agent that takes a request and is polled for its end; " +
			"default: the answer is what comes", Read: func(n *yaml.Node) { h.Async = d.async(n) }},
	)
	if h.Method == "GET" && h.Body != nil {
		at := found["body"]
		if at == nil {
			at = n
		}
		d.Fail(at, "cannot have a body with method: GET", "put {input} into the url, or leave the method out")
	}
	a.HTTP, a.Model, a.Command, a.Mode = &h, nil, nil, ProcessMode
}

// holding reads a text with variables and holders.
func (d *decoder) holding(n *yaml.Node) (string, bool) {
	text, ok := d.Text(n)
	if !ok {
		return "", false
	}
	d.noteReferences(n, text)
	_, err := endpoint.Holders(text)
	d.refusedPath(n, err)
	return text, err == nil
}

// refusedPath notes what is wrong with a path.
func (d *decoder) refusedPath(n *yaml.Node, err error) {
	if refused, ok := err.(*oracle.OptionError); ok {
		d.Fail(n, refused.Value+" "+refused.Problem, refused.Advice)
	}
}

// isAddress refuses what is no address of a server. The host is the suite's to say, and no trial's.
func (d *decoder) isAddress(n *yaml.Node, text string) bool {
	const advice = "such as https://agent.example/run or http://localhost:8080/"
	d.Also("minLength", 1)
	if strings.HasPrefix(text, "${") { // what stands there is looked at when it is known
		return true
	}
	problem := addressProblem(expand(text, func(string) (string, bool) { return "1", true }))
	if problem == "" {
		_, rest, _ := strings.Cut(text, "://")
		host, _, _ := strings.Cut(rest, "/")
		if holders, _ := endpoint.Holders(host); holders {
			problem = "has a host that differs from trial to trial"
		}
	}
	if problem != "" {
		d.Fail(n, problem, advice)
	}
	return problem == ""
}

// addressProblem says what keeps a text from being the address of a server; "" is nothing.
func addressProblem(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "is no address"
	case u.Scheme != "http" && u.Scheme != "https":
		return "must begin with http:// or https://"
	case u.Hostname() == "":
		return "names no host"
	case u.User != nil:
		return "has a password in it, which belongs into headers"
	case u.Fragment != "":
		return "has a part behind #, which is never sent"
	}
	return ""
}

// headers reads headers. One that is null is not sent.
func (d *decoder) headers(n *yaml.Node, h *HTTP) {
	if !d.Is(n, yaml.MappingNode) {
		return
	}
	if d.Takes("type", "object", "additionalProperties", object{"type", []string{"string", "null"}}) {
		return
	}
	d.Members(n, func(name string, at, value *yaml.Node) {
		d.At(name, func() {
			if !httpguts.ValidHeaderFieldName(name) {
				d.Fail(at, "is no name of a header", "such as Authorization")
				return
			}
			if value.Kind == yaml.ScalarNode && value.ShortTag() == "!!null" {
				delete(h.Headers, name)
				return
			}
			text, ok := d.holding(value)
			if ok && !httpguts.ValidHeaderFieldValue(text) {
				d.Fail(value, "cannot be the value of a header: it has more than one line", "")
				return
			}
			if h.Headers == nil {
				h.Headers = map[string]string{}
			}
			h.Headers[name] = text
		})
	})
}

// bodyTexts notes the variables of a body, and what is wrong with its holders.
func (d *decoder) bodyTexts(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		if n.ShortTag() == "!!str" {
			d.holding(n)
		}
		return
	}
	for i, item := range n.Content {
		if n.Kind != yaml.MappingNode || i%2 == 1 {
			d.bodyTexts(item)
		}
	}
}

// path reads a path into an answer.
func (d *decoder) path(target *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		text, ok := d.Text(n)
		if !ok {
			return
		}
		d.Also("minLength", 1)
		_, err := oracle.ParsePath(text)
		d.refusedPath(n, err)
		*target = text
	}
}

// async reads how an answer is fetched later.
func (d *decoder) async(n *yaml.Node) *endpoint.Async {
	a := &endpoint.Async{Every: time.Second}
	address := func(target *string) func(*yaml.Node) {
		return func(n *yaml.Node) {
			text, ok := d.holding(n)
			if d.Also("minLength", 1); ok {
				d.refusedPath(n, endpoint.CheckAsync(text))
				*target = text
			}
		}
	}
	d.Object(n,
		key{Name: "poll", About: "address of GET requests, from url on, such as /runs/{answer.id}",
			Needed: true, Advice: "such as poll: /runs/{answer.id}", Read: address(&a.Poll)},
		key{Name: "status", About: "path of the status in its answers",
			Needed: true, Advice: "such as status: status", Read: d.path(&a.Status)},
		key{Name: "done", About: "default completed, succeeded, success, done, finished", Read: d.statuses(&a.Done)},
		key{Name: "failed", About: "default failed, error, cancelled, canceled, expired",
			Read: d.statuses(&a.Failed)},
		key{Name: "every", About: "between two questions; default 1s", Read: d.Duration(&a.Every, false)},
		key{Name: "cancel", About: "address of a POST request that cancels it", Read: address(&a.Cancel)},
	)
	if a.Done == nil {
		a.Done = []string{"completed", "succeeded", "success", "done", "finished"}
	}
	if a.Failed == nil {
		a.Failed = []string{"failed", "error", "cancelled", "canceled", "expired"}
	}
	for _, status := range a.Done {
		if slices.Contains(a.Failed, status) {
			d.Fail(n, yamlnode.Shown(status)+" is a status of done and of failed", "")
		}
	}
	return a
}

// statuses reads statuses, one at least.
func (d *decoder) statuses(target *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		d.Texts(target, func(*yaml.Node, string) bool { return true })(n)
		d.Also("minItems", 1)
		if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
			d.Fail(n, "names no status", "omit it for the usual ones")
		}
	}
}

// response reads paths.
func (d *decoder) response(n *yaml.Node, r *Response) {
	d.Object(n,
		key{Name: "output", About: "path of the output, such as choices[0].text; of a stream, the " +
			"texts of all events", Read: d.path(&r.Output)},
		key{Name: "outcome", About: "path of pass, fail, error, true or false", Read: d.path(&r.Outcome)},
		key{Name: "steps", About: "path of the steps, as in a trial record", Read: d.path(&r.Steps)},
		key{Name: "model", About: "path of the model's name", Read: d.path(&r.Model)},
		key{Name: "cost_usd", About: "path of the cost in US dollars", Read: d.path(&r.CostUSD)},
		key{Name: "input_tokens", About: "path of a number", Read: d.path(&r.InputTokens)},
		key{Name: "output_tokens", About: "path of a number", Read: d.path(&r.OutputTokens)},
	)
}

// expanded returns the agent with the values of variables.
func (h *HTTP) expanded(value func(string) (string, bool)) (*HTTP, error) {
	e := *h
	e.URL = expand(h.URL, value)
	if problem := addressProblem(e.URL); problem != "" {
		return nil, fmt.Errorf("%s", problem)
	}
	e.Headers = map[string]string{}
	for name, text := range h.Headers {
		e.Headers[name] = strings.TrimSpace(expand(text, value))
		if !httpguts.ValidHeaderFieldValue(e.Headers[name]) {
			return nil, fmt.Errorf("has a header %s whose variables give it more than one line", name)
		}
	}
	if h.Body != nil {
		e.Body = expandedTexts(h.Body, value)
	}
	if h.Async != nil {
		e.Async = new(*h.Async)
		e.Async.Poll, e.Async.Cancel = expand(h.Async.Poll, value), expand(h.Async.Cancel, value)
	}
	return &e, nil
}

// expandedTexts puts the values of variables into the texts of a document.
func expandedTexts(document trial.Raw, value func(string) (string, bool)) trial.Raw {
	var walk func(any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			return expand(v, value)
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for name := range v {
				v[name] = walk(v[name])
			}
		}
		return v
	}
	text, err := encoded(walk(canonical(document)))
	if err != nil {
		return document // not reached: it was JSON
	}
	return text
}

// headerVariables are the variables in headers: what stands there is kept secret, whatever its name.
func (h *HTTP) headerVariables() (names []string) {
	for _, text := range h.Headers {
		for _, found := range referencePattern().FindAllString(text, -1) {
			if name, ok := referenced(found); ok {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// settings are what is said of it. Headers are hidden, for they may be secrets.
func (h *HTTP) settings(text func(string) string) []string {
	lines := []string{setting("agent.http", h.Method+" "+text(h.URL))}
	for _, name := range slices.Sorted(maps.Keys(h.Headers)) {
		lines = append(lines, setting("agent.http.headers."+name, hidden(h.Headers[name])))
	}
	if h.Body != nil {
		lines = append(lines, setting("agent.http.body", text(string(h.Body))))
	}
	if a := h.Async; a != nil {
		done, failed := strings.Join(a.Done, ", "), strings.Join(a.Failed, ", ")
		lines = append(lines, setting("agent.http.async", text(fmt.Sprintf(
			"%s, %s of %s, failed %s, every %v, cancel %s", a.Poll, a.Status, done, failed, a.Every, cmp.Or(a.Cancel, "none"),
		))))
	}
	for _, p := range h.Response.paths() {
		if p[1] != "" {
			lines = append(lines, setting("agent.http.response."+p[0], text(p[1])))
		}
	}
	return lines
}

// paths are names of parts and the paths at which they stand.
func (r Response) paths() [][2]string {
	return [][2]string{
		{"output", r.Output}, {"outcome", r.Outcome}, {"steps", r.Steps}, {"model", r.Model}, {"cost_usd", r.CostUSD},
		{"input_tokens", r.InputTokens}, {"output_tokens", r.OutputTokens},
	}
}
