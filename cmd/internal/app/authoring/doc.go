// Package authoring helps to write a suite: it begins one, checks one, and says what it may judge by. Each command has
// a request, which is plain data, and a function that answers it. It knows no flags.
package authoring
