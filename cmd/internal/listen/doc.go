// Package listen is for commands that serve: which addresses they may listen at, the token that clients tell, and pages
// that are served while something else goes on.
package listen
