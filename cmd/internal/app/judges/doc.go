// Package judges asks judges of what was recorded, and asks what a judge is worth: each command has a request, which is
// plain data, and a function that answers it. It knows no flags.
package judges
