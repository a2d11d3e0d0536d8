// Package yamlnode is what strict readers of YAML files share: the document as a
// node with a place for every value, and errors that name the place, the field and
// what to do.
package yamlnode
