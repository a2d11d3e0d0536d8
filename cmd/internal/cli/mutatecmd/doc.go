// Package mutatecmd has the commands that change what is run, to see what follows: mutate, relate and suggest.
package mutatecmd
