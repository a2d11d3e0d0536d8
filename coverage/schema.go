package coverage

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// Limits of the schema of one tool.
const (
	maxSchemaDepth  = 32     // of properties within properties, references followed
	maxSchemas      = 20_000 // visited: references can make a short text long
	maxDomains      = 2_000  // parameters with limits
	maxEnumOfDomain = 1_000  // values of one
)

// schemaReader collects the domains that the JSON Schema of a tool gives its
// parameters. It reads what limits a value, in the keywords of all drafts, and no more:
// a keyword that it does not know limits nothing, and one that is misused is refused,
// since a limit that is silently lost would count as covered.
//
// A schema is walked once, from the object of all arguments downwards: read for a schema, below for its
// members and items, follow for a reference, domain for the limits that it gives.
type schemaReader struct {
	*document
	root      *node             // of the schema: references begin there
	found     map[string]Domain // by the path of the parameter
	open      openTypes         // the types of all of them
	following []string          // references on the way here
	visited   int               // schemas
}

// read reads the schema of what stands at a path of the arguments; at is the place in the
// document, for errors. Schemas that are joined by allOf, anyOf or oneOf count together: a
// value at a limit of any is at a limit. At the path "" stands the object of all arguments,
// which has no limits of its own.
func (s *schemaReader) read(n *node, path, at string, depth int) error {
	if n.kind == 't' || n.kind == 'f' {
		return nil // everything, or nothing: no limits
	}
	if n.kind != '{' {
		return s.refuse(n, at, "must be a schema", "an object")
	}
	s.visited++
	if s.visited > maxSchemas || depth > maxSchemaDepth {
		hint := fmt.Sprintf("at most %d levels and %d schemas are read", maxSchemaDepth, maxSchemas)
		return s.refuse(n, at, "is too large a schema", hint)
	}
	// Before draft 2019-09 the keywords beside a reference are ignored; here both count, as in the later
	// ones.
	if reference := n.get("$ref"); reference != nil {
		if err := s.follow(reference, path, at+".$ref", depth); err != nil {
			return err
		}
	}
	if path != "" {
		s.open.add(n, path)
		if err := s.domain(n, path, at); err != nil {
			return err
		}
	}
	// not and if are no limits that a value can come to, and are not read.
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		joined := n.get(key)
		if joined == nil {
			continue
		}
		if joined.kind != '[' {
			return s.refuse(joined, at+"."+key, "must be a list", "in brackets")
		}
		for i, part := range joined.items {
			if err := s.read(part, path, fmt.Sprintf("%s.%s[%d]", at, key, i), depth+1); err != nil {
				return err
			}
		}
	}
	return s.below(n, path, at, depth)
}

// below reads the schemas of members and of items.
func (s *schemaReader) below(n *node, path, at string, depth int) error {
	if properties := n.get("properties"); properties != nil {
		if properties.kind != '{' {
			return s.refuse(properties, at+".properties", "must be an object", "in braces")
		}
		for _, m := range properties.members {
			inner := m.name
			if path != "" {
				inner = path + "." + m.name
			}
			if err := s.read(m.value, inner, at+".properties."+m.name, depth+1); err != nil {
				return err
			}
		}
	}
	// A list of schemas, one for each place, as in older drafts, limits no path that a parameter has here.
	if items := n.get("items"); items != nil && path != "" && items.kind == '{' {
		return s.read(items, path+"[]", at+".items", depth+1)
	}
	return nil
}

// follow reads what a reference points to. One that leads back to itself describes a
// tree: its limits are those of the first round.
//
// Only references within the schema are followed: nothing is fetched from elsewhere.
func (s *schemaReader) follow(n *node, path, at string, depth int) error {
	if n.kind != '"' {
		return s.refuse(n, at, "must be a text", "such as \"#/$defs/amount\"")
	}
	reference := trial.Raw(n.raw).Text()
	for _, before := range s.following {
		if before == reference {
			return nil
		}
	}
	// "#" alone is the whole schema; what follows it must be a JSON Pointer, since names of anchors are not
	// resolved.
	rest, local := strings.CutPrefix(reference, "#")
	if !local || rest != "" && rest[0] != '/' {
		problem := shown(reference) + " does not lead into this schema"
		return s.refuse(n, at, problem, "write the definition out, or put it below $defs")
	}
	target := s.root.resolve(rest)
	if target == nil {
		return s.refuse(n, at, shown(reference)+" leads to nothing", "is its definition missing from $defs?")
	}
	s.following = append(s.following, reference)
	err := s.read(target, path, at, depth+1)
	s.following = s.following[:len(s.following)-1]
	return err
}

// resolve returns the value that a JSON Pointer (RFC 6901) leads to, nil if there is
// none.
func (n *node) resolve(pointer string) *node {
	// A Replacer goes through the text once, so "~01" becomes "~1" and not "/".
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	target := n
	for _, part := range strings.Split(pointer, "/")[1:] {
		part = unescape.Replace(part)
		if target.kind != '[' {
			target = target.get(part)
		} else if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(target.items) {
			target = target.items[i]
		} else {
			target = nil
		}
		if target == nil {
			return nil
		}
	}
	return target
}

// domain adds the limits that a schema gives the value at a path. A limit that an
// earlier one gave stays.
//
// Values of an enum are added to those of an earlier schema, into new memory, since domains are copied by
// value and would share it.
func (s *schemaReader) domain(n *node, path, at string) error {
	d := s.found[path]
	before := d
	for _, m := range n.members {
		field := at + "." + m.name
		var err error
		switch m.name {
		case "minimum":
			err = s.number(m.value, field, &d.Minimum)
		case "maximum":
			err = s.number(m.value, field, &d.Maximum)
		case "exclusiveMinimum", "exclusiveMaximum":
			err = s.exclusive(m, field, &d)
		case "minLength":
			err = s.length(m.value, field, &d.MinLength)
		case "maxLength":
			err = s.length(m.value, field, &d.MaxLength)
		case "minItems":
			err = s.length(m.value, field, &d.MinItems)
		case "maxItems":
			err = s.length(m.value, field, &d.MaxItems)
		case "const":
			d.Enum = append(d.Enum[:len(d.Enum):len(d.Enum)], m.value.json())
		case "enum":
			if m.value.kind != '[' {
				return s.refuse(m.value, field, "must be a list", "in brackets")
			}
			d.Enum = d.Enum[:len(d.Enum):len(d.Enum)]
			for _, value := range m.value.items {
				d.Enum = append(d.Enum, value.json())
			}
		case "type":
			d.ofType(m.value)
		}
		if err != nil {
			return err
		}
	}
	if len(d.Enum) > maxEnumOfDomain {
		problem := fmt.Sprintf("has more than %d values", maxEnumOfDomain)
		return s.refuse(n, at+".enum", problem, "each of them would be a boundary")
	}
	if len(s.found) >= maxDomains {
		problem := fmt.Sprintf("is beyond the %d parameters that are read of a tool", maxDomains)
		return s.refuse(n, at, problem, "declare those that matter in a suite")
	}
	// A schema without limits makes no entry, so that it does not count towards maxDomains.
	if !reflect.DeepEqual(d, before) {
		s.found[path] = d
	}
	return nil
}

// ofType reads what type a value has: an integer is near a limit within one, and a
// boolean has two values, each of which is a limit.
func (d *Domain) ofType(n *node) {
	// type is a name or a list of names.
	named := func(name string) bool {
		if n.kind == '"' {
			return string(n.raw) == `"`+name+`"`
		}
		for _, item := range n.items {
			if string(item.raw) == `"`+name+`"` {
				return true
			}
		}
		return false
	}
	d.Integer = d.Integer || named("integer")
	if named("boolean") {
		d.Enum = append(d.Enum[:len(d.Enum):len(d.Enum)], trial.Raw("false"), trial.Raw("true"))
	}
}

// exclusive reads a limit that is not allowed itself. Before draft 6 (2017) it says true or false of the
// limit beside it, which then needs no second one.
func (s *schemaReader) exclusive(m member, at string, d *Domain) error {
	if m.value.kind == 't' || m.value.kind == 'f' {
		return nil
	}
	if m.name == "exclusiveMinimum" {
		return s.number(m.value, at, &d.ExclusiveMinimum)
	}
	return s.number(m.value, at, &d.ExclusiveMaximum)
}

// number reads a limit of a number, unless an earlier schema gave it. The kind of a number is '0' for the
// decoder, whatever its first digit is. 1e999 is a number in JSON and no float64.
func (s *schemaReader) number(n *node, at string, target *trial.Optional[float64]) error {
	// A length may be written as 10.0, which is whole.
	x, err := strconv.ParseFloat(string(n.raw), 64)
	if n.kind != '0' || err != nil {
		return s.refuse(n, at, "must be a number", "a finite one, without quotes")
	}
	if !target.Known {
		*target = trial.Some(x)
	}
	return nil
}

// length reads a limit of a length, unless an earlier schema gave it.
func (s *schemaReader) length(n *node, at string, target *trial.Optional[int]) error {
	x, err := strconv.ParseFloat(string(n.raw), 64)
	if n.kind != '0' || err != nil || x < 0 || x != math.Trunc(x) || x > 1<<31-1 {
		return s.refuse(n, at, "must be a whole number that is not negative", "without quotes")
	}
	if !target.Known {
		*target = trial.Some(int(x))
	}
	return nil
}

// check leaves types alone of domains without a limit, and refuses those whose limits contradict each other.
func (s *schemaReader) check(n *node, at string) error {
	for _, path := range sortedKeys(s.found) {
		d := s.found[path]
		if err := d.Validate(); err != nil {
			problem := fmt.Sprintf("cannot be used: %s %v %s", err.Field, err.Value, err.Problem)
			return s.refuse(n, at+": parameter "+path, problem, "no value fits it")
		}
		if d.Empty() {
			delete(s.found, path)
		}
	}
	// Types matter where there is no limit.
	for path := range s.open {
		if d := s.open.domain(path); d.Types != nil && s.found[path].Empty() {
			s.found[path] = d
		}
	}
	return nil
}
