package suite

import (
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
)

// all passes if every one of a list of evaluators passes.
func all(f *form) (oracle.Evaluator, error) { return f.combination(oracle.All) }

// anyOf passes if one of a list of evaluators passes.
func anyOf(f *form) (oracle.Evaluator, error) { return f.combination(oracle.Any) }

// combination reads a list of evaluators.
func (f *form) combination(combine func(...oracle.Evaluator) (oracle.Evaluator, error)) (oracle.Evaluator, error) {
	var parts []oracle.Evaluator
	before := len(f.Problems)
	f.Items(f.node, func(item *yaml.Node) {
		if e, ok := f.evaluation(item); ok {
			parts = append(parts, e.Evaluator)
		}
	})
	f.Also("minItems", 1)
	// A combination of the parts that could be read would be another evaluator.
	if len(f.Problems) > before || f.Describes() {
		return nil, nil
	}
	return combine(parts...)
}

// not takes one evaluator.
func not(f *form) (oracle.Evaluator, error) {
	part, ok := f.evaluation(f.node)
	if !ok {
		return nil, nil
	}
	return oracle.Not(part.Evaluator)
}

// weighted takes a threshold, and a list of evaluators with their weights.
func weighted(f *form) (oracle.Evaluator, error) {
	var threshold float64
	var weights []oracle.Weight
	readParts := func(n *yaml.Node) {
		f.Items(n, func(item *yaml.Node) {
			if w, ok := f.weight(item); ok {
				weights = append(weights, w)
			}
		})
		f.Also("minItems", 1)
	}
	if !f.options("", needed(f.share("threshold", &threshold)), key{Name: "of", Needed: true, Read: readParts}) {
		return nil, nil
	}
	return oracle.Weighted(threshold, weights...)
}

// weight reads an evaluator with a weight beside it; 1 where it has none.
func (f *form) weight(n *yaml.Node) (oracle.Weight, bool) {
	w := oracle.Weight{Weight: 1}
	if f.Takes(weightSchema()...) {
		return w, false
	}
	if n.Kind != yaml.MappingNode {
		f.evaluation(n) // says what is wrong
		return w, false
	}
	const most = 1e9
	read := f.Real(
		func(x float64) { w.Weight = x }, "must be a positive number", "", yamlnode.Above(0), yamlnode.AtMost(most),
	)
	// A copy without the weight is an item of one key, as everywhere else. The node itself is left as
	// it is: others read it too, for the digest.
	rest := *n
	rest.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "weight" {
			f.At("weight", func() { read(n.Content[i+1]) })
			continue
		}
		rest.Content = append(rest.Content, n.Content[i], n.Content[i+1])
	}
	e, ok := f.evaluation(&rest)
	w.Evaluator = e.Evaluator
	return w, ok
}

// contractOf reads the name of a contract file, from the folder of the suite, with the names of clauses or without, or
// a contract that stands in the suite itself.
func contractOf(f *form) (oracle.Evaluator, error) {
	if f.Describes() {
		f.Named("contract", func(n *yaml.Node) {
			inline := func(*yaml.Node) { contract.Describe(&f.Decoder) }
			f.Either(f.Line(new(string)), func(*yaml.Node) { _, _ = f.clausesOfFile() }, inline)
		})(f.node)
		return nil, nil
	}
	var c *contract.Contract
	var err error
	named := f.node
	switch {
	// A word is a path; a mapping names a file, or is the contract itself.
	case f.node.Kind == yaml.ScalarNode:
		path := ""
		f.Line(&path)(f.node)
		if path == "" {
			return nil, nil
		}
		c, err = contract.LoadContext(f.ctx, resolve(f.dir, path))
	case memberOf(f.node, "file") != nil:
		named = memberOf(f.node, "file")
		c, err = f.clausesOfFile()
	default:
		c, err = contract.ParseNode(f.FileOf(f.node), f.Field, f.node)
	}
	if err != nil {
		f.refusedContract(named, err)
	}
	if err != nil || c == nil {
		return nil, nil
	}
	// The content counts for the digest of the suite, not the name of the file.
	f.contracts = append(f.contracts, c.Digest())
	return contract.Evaluator(c), nil
}

// clausesOfFile reads a contract file and keeps the clauses that are named; nil where a problem says why there are
// none.
func (f *form) clausesOfFile() (*contract.Contract, error) {
	var path string
	var clauses []*yaml.Node
	before := len(f.Problems)
	f.Object(f.node,
		key{Name: "file", Needed: true, Read: f.Line(&path)},
		key{Name: "clause", About: "names of clauses of the file; all of them where it is missing",
			Read: f.oneOrMany(func(n *yaml.Node) {
				_, ok := f.Text(n)
				if f.Also("minLength", 1); ok {
					clauses = append(clauses, n)
				}
			})},
	)
	if f.Describes() || len(f.Problems) > before {
		return nil, nil
	}
	whole, err := contract.LoadContext(f.ctx, resolve(f.dir, path))
	if err != nil || memberOf(f.node, "clause") == nil {
		return whole, err
	}
	if len(clauses) == 0 {
		f.At("clause", func() {
			f.Fail(memberOf(f.node, "clause"), "must not be empty", "omit it for the whole file")
		})
		return nil, nil
	}
	var names []string
	for _, n := range clauses {
		f.At("clause", func() { f.clause(whole, n, names) })
		names = append(names, n.Value)
	}
	if len(f.Problems) > before {
		return nil, nil
	}
	kept := whole.Only(names...)
	if !slices.ContainsFunc(kept.Clauses, func(c contract.Clause) bool { return c.Severity == contract.Hard }) {
		f.At("clause", func() {
			f.Fail(memberOf(f.node, "clause"), "names soft clauses alone, which fail no trial",
				"name a hard one too, or make it hard in "+prose.FileName(path))
		})
		return nil, nil
	}
	return kept, nil
}

// clause refuses the name of a clause that the contract does not have, or that stood before.
func (f *form) clause(c *contract.Contract, n *yaml.Node, before []string) {
	var names []string
	for _, clause := range c.Clauses {
		names = append(names, clause.Name)
	}
	switch {
	case slices.Contains(before, n.Value):
		f.Fail(n, yamlnode.Shown(n.Value)+" is given twice", "")
	case !slices.Contains(names, n.Value):
		f.Fail(n, "has no clause "+yamlnode.Shown(n.Value), prose.DidYouMean(n.Value, names))
	}
}

// refusedContract notes what is wrong with a contract: in its own file, or with the
// file.
//
// Problems inside of the contract keep their own places. Otherwise the place is that of the name in
// the suite.
func (f *form) refusedContract(named *yaml.Node, err error) {
	f.unreadFile(named, named.Value, "its path is from the folder of the suite", err)
}
