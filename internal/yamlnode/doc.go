// Package yamlnode is the strict reader of the YAML files of this project: a document
// as a node with a place for every value, a [Decoder] that turns nodes into values and
// knows every key that may be there, and errors that name the place, the field and
// what to do.
//
//	root, err := yamlnode.Parse("tribunal.yaml", "suite", text)
//	...
//	d := yamlnode.Decoder{File: "tribunal.yaml", What: "the suite"}
//	d.Object(root,
//		yamlnode.Key{Name: "name", Needed: true, Read: d.Name(&name, 200)},
//		yamlnode.Key{Name: "timeout", Read: d.Duration(&timeout, false)},
//	)
//	return d.Err()
package yamlnode
