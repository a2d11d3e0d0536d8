// Package site writes the pages of a server over a store, in the design of the HTML reports: the same style sheet,
// words and drawings. A page can be read without a script; names and texts that others wrote are text in it and nothing
// else.
//
//	err := site.Write(w, site.Page{Title: "Runs", Here: "/runs", Content: site.Runs{...}})
//
// The addresses that its pages lead to are those that cmd/internal/web answers. filter.go reads what is asked of lists;
// contents.go has what pages show, page.html.tmpl how, page.css what the style sheet of reports does not have, and
// page.js the script: live events, and the colours that were chosen.
package site
