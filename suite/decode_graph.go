package suite

import (
	"errors"
	"io/fs"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/coverage/graph"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
)

// graphReader reads an orchestration graph, of a suite or of a file of its own, and keeps where its parts stand.
type graphReader struct {
	*yamlnode.Decoder
	graph graph.Graph
	at    map[[2]string]*yaml.Node // by node and field; either may be ""
}

// read reads the mapping of start and nodes. What they say of each other is for [graphReader.check].
func (r *graphReader) read(n *yaml.Node) {
	r.at = map[[2]string]*yaml.Node{{}: n}
	found := r.Object(n,
		key{Name: "start", About: "the node that comes first, or a list of them",
			Needed: true, Advice: "it is the node that comes first, or a list of them",
			Read: r.names(&r.graph.Start, 1)},
		key{Name: "nodes", Needed: true, Advice: "such as nodes: {search: {to: answer}, answer: {action: respond}}",
			Read: r.nodes},
	)
	r.Also("description", "what the orchestration of the agent allows")
	for field, value := range found {
		r.at[[2]string{"", field}] = value
	}
}

// names reads a name, or a list of at least so many, which the graph itself checks.
func (r *graphReader) names(target *[]string, least int) func(*yaml.Node) {
	one := func(n *yaml.Node) {
		var name string
		if r.Line(&name)(n); name != "" {
			*target = []string{name}
		}
	}
	many := func(n *yaml.Node) {
		r.Texts(target, r.IsLine)(n)
		r.Also("minItems", least)
	}
	return func(n *yaml.Node) {
		switch {
		case r.Either(one, many):
		case n.Kind == yaml.SequenceNode:
			many(n)
		default:
			one(n)
		}
	}
}

// nodes reads the nodes by their names.
func (r *graphReader) nodes(n *yaml.Node) {
	if !r.Is(n, yaml.MappingNode) {
		return
	}
	r.Members(n, func(name string, at, value *yaml.Node) {
		if name == "" {
			r.Fail(at, "has a node without a name", "")
			return
		}
		r.At(name, func() {
			one := func(n *yaml.Node) { r.node(name, at, n) }
			r.Named("node", func(n *yaml.Node) {
				if !r.Either(func(*yaml.Node) { r.Takes("type", "null") }, one) {
					one(n)
				}
			})(value)
		})
	})
	r.Also("minProperties", 1, "propertyNames", textSchema(1))
}

// node reads one. What is not said of its step is that it calls the tool of its name; an empty value says all of it.
func (r *graphReader) node(name string, at, n *yaml.Node) {
	node := graph.Node{Name: name}
	var tools []string
	var action string
	silent := false
	r.at[[2]string{name, ""}] = at
	if n.ShortTag() != "!!null" || r.Describes() {
		found := r.Object(n,
			key{Name: "tool", About: "that it calls, or a list of them, one of which it calls; " +
				"default the name of the node", Read: r.names(&tools, 1)},
			key{Name: "action", About: "of its step, where that is no call of a tool, such as respond",
				Read: r.Line(&action)},
			key{Name: "silent", About: "it shows no step", Read: r.Bool(&silent)},
			key{Name: "to", About: "the node that comes next, or a list of them; none: trials end here",
				Read: r.names(&node.To, 0)},
			key{Name: "end", About: "trials may end here, also where to leads on", Read: r.Bool(&node.End)},
		)
		r.at[[2]string{name, "to"}] = found["to"]
		if found["action"] != nil && found["tool"] != nil || silent && (found["action"] != nil || found["tool"] != nil) {
			r.Fail(n, "says twice what its step is", "leave one out of tool, action and silent")
		}
		if action == string(trial.CallTool) {
			r.At("action", func() { r.Fail(found["action"], "is that of tools", "write tool, with its name") })
		}
		if at := found["tool"]; at != nil && at.Kind == yaml.SequenceNode && len(at.Content) == 0 {
			r.At("tool", func() { r.Fail(at, "has no name", "of a node without a step write silent: true") })
		}
	}
	switch {
	case silent:
	case action != "":
		node.Steps = []graph.Step{{Action: trial.Action(action)}}
	case tools == nil:
		node.Steps = []graph.Step{{Tool: name}}
	}
	for _, tool := range tools {
		node.Steps = append(node.Steps, graph.Step{Tool: tool})
	}
	r.graph.Nodes = append(r.graph.Nodes, node)
}

// check refuses a graph that cannot be counted, at the part that is wrong; one that is too deep it returns.
func (r *graphReader) check() (depth *graph.Error) {
	_, err := graph.Compile(&r.graph)
	refused, ok := errors.AsType[*graph.Error](err)
	switch {
	case !ok:
		return nil
	case refused.Node == "" && refused.Field == "max_depth":
		return refused
	}
	at := r.at[[2]string{refused.Node, refused.Field}]
	if at == nil {
		at = r.at[[2]string{}]
	}
	fail := func() { r.Fail(at, refused.Problem, refused.Advice) }
	if refused.Field != "" {
		inner := fail
		fail = func() { r.At(refused.Field, inner) }
	}
	if refused.Node != "" {
		inner := fail
		fail = func() { r.At("nodes", func() { r.At(refused.Node, inner) }) }
	}
	fail()
	return nil
}

// graph reads the graph of a suite with its depth, and the name of a file that holds one.
func (d *decoder) graph(found map[string]*yaml.Node, c *Coverage) {
	inline, depth := found["graph"], found["max_depth"]
	switch {
	case inline != nil && found["graph_file"] != nil:
		d.At("graph_file", func() { d.Fail(found["graph_file"], "says the same as graph", "leave one of the two out") })
		return
	case inline == nil && found["graph_file"] == nil:
		if depth != nil {
			d.At("max_depth", func() { d.Fail(depth, "is that of a graph", "declare one as graph or graph_file") })
		}
		return
	case depth == nil:
		at := inline
		if at == nil {
			at = found["graph_file"]
		}
		d.At("max_depth", func() { d.Fail(at, "is missing", "it is the number of steps up to which paths count") })
		return
	case inline == nil:
		return
	}
	before := len(d.Problems)
	r := &graphReader{Decoder: &d.Decoder}
	d.At("graph", func() { r.read(inline) })
	if len(d.Problems) > before || c.MaxDepth == 0 {
		return // it would be refused again, for what is missing
	}
	r.graph.MaxDepth = c.MaxDepth
	d.At("graph", func() {
		if deep := r.check(); deep != nil {
			outer := d.Field
			d.Field = "coverage.max_depth"
			d.Fail(depth, deep.Problem, deep.Advice)
			d.Field = outer
		}
	})
	c.Graph = &r.graph
	if tool := unlisted(c.Graph, c.Tools); tool != "" {
		advice := prose.DidYouMean(tool, firstFew(c.Tools))
		d.At("graph", func() { d.Fail(inline, "calls "+yamlnode.Shown(tool)+", which tools does not list", advice) })
	}
}

// unlisted is the first tool of a graph that is none of those that are listed; "" is none, also without a list.
func unlisted(g *graph.Graph, tools []string) string {
	listed := make(map[string]bool, len(tools))
	for _, tool := range tools {
		listed[tool] = true
	}
	for _, tool := range g.Tools() {
		if len(tools) > 0 && !listed[tool] {
			return tool
		}
	}
	return ""
}

// loadGraph reads the graph of a file, in YAML or JSON.
func (s *Suite) loadGraph() (*graph.Graph, error) {
	path := s.Resolve(s.Coverage.GraphFile)
	text, err := yamlnode.ReadContext(s.reading(), path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		advice := "it holds a graph: start and nodes"
		return nil, &trial.FileError{File: path, Problem: "does not exist", Advice: advice, Err: err}
	case err != nil:
		return nil, err
	}
	root, err := yamlnode.Parse(path, "graph", text)
	if err != nil {
		return nil, err
	}
	r := &graphReader{Decoder: &yamlnode.Decoder{File: path, What: "the graph"}}
	if r.read(root); r.Err() != nil {
		return nil, r.Err()
	}
	r.graph.MaxDepth = s.Coverage.MaxDepth
	if deep := r.check(); deep != nil {
		return nil, s.refuse("coverage.max_depth", deep.Problem, deep.Advice)
	}
	return &r.graph, r.Err()
}

// refuse is the error of a field that is wrong only together with a file that the suite names.
func (s *Suite) refuse(field, problem, advice string) error {
	return Errors{{Place: trial.Place{File: s.File}, Field: field, Problem: problem, Advice: advice}}
}
