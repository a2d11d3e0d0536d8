// Package storecmd has the commands over what is kept: store, traces, history, baseline, promote and serve.
package storecmd
