// Package yamlnode is the strict reader of the YAML files of this project: a document
// as a node with a place for every value, a [Decoder] that turns nodes into values
// and knows every key that may be there, and errors that name the place, the field
// and what to do.
//
//	root, err := yamlnode.Parse("tribunal.yaml", "suite", text)
//	...
//	d := yamlnode.Decoder{File: "tribunal.yaml", What: "the suite"}
//	d.Object(root,
//		yamlnode.Key{Name: "name", Needed: true, Read: d.Name(&name, 200)},
//		yamlnode.Key{Name: "timeout", Read: d.Duration(&timeout, false)},
//	)
//	return d.Err()
//
// [Read] and [Parse] are in document.go, which also refuses what YAML has beyond
// JSON. Mappings and lists are read in decoder.go, texts and numbers in scalars.go,
// and values of any shape, such as arguments of a tool, become JSON in json.go. The
// readers of scalars return a function, so that they can stand in the table of keys;
// it leaves its target alone where the value is refused.
//
// The same table of keys is the JSON Schema of the file, for editors: see
// [Decoder.Describe], in schema.go.
//
// A reader goes on after a problem: a person wants to see all that is wrong at once.
// So values that were read mean nothing until Err has been asked.
package yamlnode
