// Package docs holds the pages of the manual that the program itself hands out.
package docs

import _ "embed" // of the pages

// The pages, as Markdown.
var (
	//go:embed methods.md
	Methods string // how every number is computed
	//go:embed sentences.md
	Sentences string // what every code means
)
