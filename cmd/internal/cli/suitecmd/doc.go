// Package suitecmd has the commands that help to write a suite: init, check, schema and evaluators.
package suitecmd
