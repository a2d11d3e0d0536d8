package suite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/dataset"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
)

// ScenarioKind says what a scenario is to show of an agent.
type ScenarioKind string

// The kinds of scenarios, which are the names of folders of a corpus as well.
const (
	conformanceKind ScenarioKind = "conformance" // that it does its work
	faultsKind      ScenarioKind = "faults"      // that it bears what breaks, as it is declared to
	SecurityKind    ScenarioKind = "security"    // that it resists an attack
)

// ScenarioKinds are all of them, in the order in which people read them.
func ScenarioKinds() []ScenarioKind { return []ScenarioKind{conformanceKind, faultsKind, SecurityKind} }

// corpusKey names a folder of scenarios by their kinds.
const corpusKey = "corpus"

// defaultAttackSuccess is the share of attacks that may succeed, at most, where a corpus does not say otherwise: 59
// attacks that are all resisted rule out more.
const defaultAttackSuccess = 0.05

// CorpusOptions say whose corpus it is, over what its own suite says. The zero value changes nothing.
type CorpusOptions struct {
	// Command is the agent, in place of any other: argv, its paths from the working directory. It goes on a wire where a
	// scenario needs one.
	Command       []string
	Agent         string  // a suite whose agent, wire and prices are taken; "" is none. Not with Command
	Threshold     float64 // pass rate to hold but for attacks; 0: as the suite says, and else 0.9
	AttackSuccess float64 // share of attacks that may succeed; 0: as the scenarios say, and else [defaultAttackSuccess]
	MinPassRate   float64 // to hold at least, but for attacks, also where a lower threshold is written; 0 raises none
	// TOML reads a scenario of another tool from a file that ends in .toml, as JSON of a scenario here; nil reads none.
	TOML func(ctx context.Context, file string) ([]byte, error)
}

// LoadCorpus reads a corpus: a folder in which conformance, faults and security are folders of scenarios, each a file.
// A tribunal.yaml in it says the rest, as far as there is anything to say; without scenarios there, they are those of
// the folder. The errors are those of [Load].
func LoadCorpus(dir string, o CorpusOptions) (*Suite, error) {
	name := filepath.Join(dir, FileName)
	root, err := corpusRoot(dir, name)
	if err != nil {
		return nil, err
	}
	d := &decoder{Decoder: yamlnode.Decoder{File: name, What: "the corpus"}, ctx: context.Background(),
		dir: dir, attackSuccess: o.AttackSuccess, minPassRate: o.MinPassRate, toml: o.TOML}
	root, err = d.corpusAgent(root, o)
	if err != nil {
		return nil, err
	}
	if o.Threshold != 0 {
		root = merged(root, mapping("test", mapping("threshold", number(o.Threshold))), false)
	}
	d.raise(root)
	s := d.suite(root)
	if err := d.Err(); err != nil {
		return nil, err
	}
	s.File = name
	return s, nil
}

// raise raises the threshold of a test to the least pass rate that was asked for.
func (d *decoder) raise(n *yaml.Node) {
	threshold := memberOf(orEmpty(memberOf(n, "test")), "threshold")
	if threshold == nil {
		return
	}
	if x, err := strconv.ParseFloat(threshold.Value, 64); err == nil && x < d.minPassRate {
		least := number(d.minPassRate)
		threshold.Value, threshold.Tag = least.Value, least.Tag
	}
}

// tomlRows are the scenarios of a folder that another tool wrote in TOML, in the order of the files.
func (r *scenarioReader) tomlRows(at *yaml.Node, folder string) (rows []dataset.Row) {
	files, _ := filepath.Glob(filepath.Join(folder, "*.toml")) // no error: the pattern is one
	for _, file := range files {
		if r.toml == nil {
			break
		}
		text, err := r.toml(r.ctx, file)
		if err != nil {
			r.unreadFile(at, file, "", err)
			break
		}
		node, err := yamlnode.Parse(file, "scenario", text)
		if err != nil {
			r.unreadFile(at, file, "", err)
			break
		}
		rows = append(rows, dataset.Row{Node: node, Place: trial.Place{File: file, Line: 1}})
	}
	return rows
}

// corpusRoot is the suite of a corpus: what is written, with what a corpus needs no words for.
func corpusRoot(dir, name string) (*yaml.Node, error) {
	whole := mapping("version", number(1), "name", word(corpusName(dir)), "test", mapping("threshold", number(0.9)),
		"limits", word(noLimit), "scenarios", mapping(corpusKey, word(".")))
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &trial.FileError{File: dir, Problem: "does not exist",
			Advice: "a corpus is a folder with " + kindFolders(), Err: err}
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, &trial.FileError{File: dir, Problem: "is no folder", Advice: "a corpus is a folder with " + kindFolders()}
	}
	text, err := yamlnode.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return whole, nil
	} else if err != nil {
		return nil, err
	}
	root, err := yamlnode.Parse(name, "suite", text)
	if err != nil || root.Kind != yaml.MappingNode {
		return root, err
	}
	for i := 0; i+1 < len(whole.Content); i += 2 {
		key := whole.Content[i]
		// What a file that is included says is not known here: of such a suite nothing is completed but its scenarios.
		if memberOf(root, key.Value) == nil && (key.Value == "scenarios" || memberOf(root, includeKey) == nil) {
			root.Content = append(root.Content, key, whole.Content[i+1])
		}
	}
	return root, nil
}

// notInNames is what the name of a suite is not made of.
var notInNames = lazy.Regexp(`[^A-Za-z0-9._-]+`)

// corpusName is a name for a corpus: that of its folder, as far as a suite may be called so.
func corpusName(dir string) string {
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	name := notInNames().ReplaceAllString(filepath.Base(dir), "-")
	name = strings.TrimLeft(name, ".-_")
	if name == "" {
		return "corpus"
	}
	return name[:min(len(name), 100)]
}

// kindFolders are the folders of a corpus in words.
func kindFolders() string {
	var names []string
	for _, k := range ScenarioKinds() {
		names = append(names, string(k))
	}
	return prose.Or(names)
}

// corpusAgent puts the agent that was asked for in place of that of the corpus.
func (d *decoder) corpusAgent(root *yaml.Node, o CorpusOptions) (*yaml.Node, error) {
	switch {
	case len(o.Command) > 0:
		here, err := filepath.Abs(".")
		if err != nil {
			return nil, err
		}
		argv := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, text := range program(here, o.Command) {
			argv.Content = append(argv.Content, word(strings.ReplaceAll(text, "$", "$$")))
		}
		agent := mapping("command", argv, "working_dir", word(here))
		for _, name := range []string{"timeout", "env", "env_allow", "grace"} {
			if own := memberOf(orEmpty(memberOf(root, "agent")), name); own != nil {
				agent.Content = append(agent.Content, word(name), own)
			}
		}
		root = replaced(root, "agent", agent)
		if memberOf(root, "wire") == nil && onWire(d.dir) {
			root = replaced(root, "wire", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
		}
	case o.Agent != "":
		text, err := yamlnode.Read(o.Agent)
		if err != nil {
			return nil, err
		}
		other, err := yamlnode.Parse(o.Agent, "suite", text)
		if err != nil {
			return nil, err
		}
		d.StandsIn(o.Agent, other)
		if memberOf(other, "agent") == nil {
			return nil, &trial.FileError{File: o.Agent, Problem: "names no agent", Advice: "write agent: {command: [...]}"}
		}
		d.rooted(filepath.Dir(o.Agent), other)
		root = replaced(root, "agent", memberOf(other, "agent"))
		for _, name := range []string{"wire", "prices"} {
			if own := memberOf(other, name); own != nil {
				root = merged(root, mapping(name, own), false)
			}
		}
	case memberOf(root, "agent") == nil && memberOf(root, includeKey) == nil:
		return nil, &trial.FileError{File: filepath.Join(d.dir, FileName), Problem: "names no agent",
			Advice: "name one: tribunal run conformance DIR -- COMMAND, or --agent FILE for that of a suite"}
	}
	return root, nil
}

// onWire reports whether a scenario of a corpus is about what passes between the agent and its model. What cannot be
// read is told later.
func onWire(dir string) bool {
	for _, kind := range ScenarioKinds() {
		files, err := dataset.Files(context.Background(), filepath.Join(dir, string(kind)))
		if err != nil {
			continue
		}
		for _, file := range files {
			rows, err := dataset.Read(context.Background(), file)
			if err != nil {
				continue
			}
			for _, row := range rows {
				for _, name := range []string{"faults", "model_script"} {
					if memberOf(row.Node, name) != nil {
						return true
					}
				}
			}
		}
	}
	return false
}

// rooted makes paths of an agent lead from the folder of the file that says them.
func (d *decoder) rooted(dir string, root *yaml.Node) {
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	agent := memberOf(root, "agent")
	if argv := memberOf(agent, "command"); argv != nil && argv.Kind == yaml.SequenceNode && len(argv.Content) > 0 {
		argv.Content[0].Value = process.Path(dir, argv.Content[0].Value)
	}
	if file := memberOf(agent, "env_file"); file != nil {
		file.Value = resolve(dir, file.Value)
	}
	if files := memberOf(agent, "files"); files != nil {
		for _, file := range files.Content {
			file.Value = resolve(dir, file.Value)
		}
	}
	if working := memberOf(agent, "working_dir"); working != nil {
		working.Value = resolve(dir, working.Value)
	} else if agent.Kind == yaml.MappingNode && memberOf(agent, "command") != nil {
		agent.Content = append(agent.Content, word("working_dir"), word(dir))
	}
	if file := memberOf(root, "prices"); file != nil && file.Kind == yaml.ScalarNode {
		file.Value = resolve(dir, file.Value)
	}
	wire := orEmpty(memberOf(root, "wire"))
	for _, name := range []string{"cassette", "script"} {
		if file := memberOf(wire, name); file != nil && file.Kind == yaml.ScalarNode {
			file.Value = resolve(dir, file.Value)
		}
	}
}

// corpus reads the scenarios of a folder, of which each kind has a folder, and each scenario a file.
func (r *scenarioReader) corpus(n *yaml.Node) {
	var dir string
	before := len(r.Problems)
	share := defaultAttackSuccess
	found := r.Object(n,
		key{Name: corpusKey, Needed: true, Read: r.Line(&dir),
			About: "a folder with folders conformance, faults and security, in which each file is a scenario"},
		key{Name: attackSuccessKey, Read: r.attackShare(func(x float64) { share = x })})
	if r.Describes() || len(r.Problems) > before {
		return
	}
	at := found[corpusKey]
	path := resolve(r.dir, dir)
	s := Source{From: []string{dir}, Place: r.Place(n)}
	var items []*yaml.Node
	for _, kind := range ScenarioKinds() {
		folder := filepath.Join(path, string(kind))
		if info, err := input.Stat(r.ctx, folder); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
			continue
		}
		rows := r.tomlRows(at, folder)
		if files, err := dataset.Files(r.ctx, folder); len(rows) == 0 || err == nil && len(files) > 0 {
			rows = append(rows, r.rows(at, []string{filepath.Join(dir, string(kind))}, false)...)
		}
		for _, row := range rows {
			s.Rows++
			namedByFile(path, row.Place.File, row)
			items = append(items, r.corpusItem(row, kind, share))
		}
	}
	switch {
	case len(r.Problems) > before:
		return
	case len(items) == 0:
		r.Fail(at, fmt.Sprintf("%s has no folder %s", yamlnode.Shown(dir), kindFolders()),
			"a file in one of them is a scenario")
		return
	case len(r.suite.Scenarios)+len(items) > maxScenarios:
		r.Fail(n, fmt.Sprintf("makes more than %d scenarios", maxScenarios), "")
		return
	case r.suite.Test.By == BySuite:
		r.Fail(n, "cannot be tested by suite", "what is shown by capability and kind needs a test of each scenario")
		return
	}
	s.Left, s.Taken = s.Rows, s.Rows
	if len(r.suite.Capabilities) == 0 {
		r.suite.Capabilities = capabilitiesOf(items)
	}
	for _, item := range items {
		r.scenario(item)
	}
	r.suite.Sources = append(r.suite.Sources, s)
}

// corpusItem is a scenario of a kind, with what those of the kind need no words for: of an attack the test, which
// bounds the share of attacks that succeed.
func (r *scenarioReader) corpusItem(row dataset.Row, kind ScenarioKind, share float64) *yaml.Node {
	item := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: row.Place.Line, Column: row.Place.Column,
		Content: slices.Clone(row.Node.Content)}
	r.StandsIn(row.Place.File, row.Node)
	r.Files[item] = row.Place.File
	add := func(name string, value *yaml.Node) {
		if memberOf(item, name) != nil {
			return
		}
		k := word(name)
		for _, n := range []*yaml.Node{k, value} {
			n.Line, n.Column = row.Place.Line, row.Place.Column
			r.Files[n] = row.Place.File
		}
		item.Content = append(item.Content, k, value)
	}
	r.raise(item)
	add("kind", word(string(kind)))
	if own := memberOf(item, "kind"); own.Value == string(SecurityKind) && memberOf(item, "trials") == nil {
		if r.attackSuccess != 0 { // which was asked for over what is written
			share = r.attackSuccess
			item.Content = withoutKey(item.Content, "test")
		}
		add("test", mapping(attackSuccessKey, number(share)))
	}
	return item
}

// capabilitiesOf are those that scenarios name, sorted: a corpus needs no list of them.
func capabilitiesOf(items []*yaml.Node) (all []string) {
	for _, item := range items {
		list := memberOf(item, "capabilities")
		if list == nil || list.Kind != yaml.SequenceNode {
			continue
		}
		for _, n := range list.Content {
			if n.Kind == yaml.ScalarNode && n.Value != "" && !slices.Contains(all, n.Value) {
				all = append(all, n.Value)
			}
		}
	}
	slices.Sort(all)
	return all
}

// replaced is a mapping with a value in place of what stood there.
func replaced(n *yaml.Node, name string, value *yaml.Node) *yaml.Node {
	whole := *n
	whole.Content = append(withoutKey(n.Content, name), word(name), value)
	return &whole
}

// withoutKey is the content of a mapping but for a key.
func withoutKey(content []*yaml.Node, name string) (rest []*yaml.Node) {
	for i := 0; i+1 < len(content); i += 2 {
		if content[i].Value != name {
			rest = append(rest, content[i], content[i+1])
		}
	}
	return rest
}

// orEmpty is a node, or an empty one in place of none.
func orEmpty(n *yaml.Node) *yaml.Node {
	if n == nil {
		return &yaml.Node{}
	}
	return n
}

// mapping is a mapping of names and nodes in turns.
func mapping(members ...any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for i := 0; i+1 < len(members); i += 2 {
		n.Content = append(n.Content, word(members[i].(string)), members[i+1].(*yaml.Node))
	}
	return n
}

// word is a text.
func word(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

// number is a number.
func number(x float64) *yaml.Node {
	text := strconv.FormatFloat(x, 'f', -1, 64)
	tag := "!!float"
	if x == float64(int(x)) {
		tag = "!!int"
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text}
}
