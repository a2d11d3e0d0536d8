// Package gate decides over a run whether to deploy: see [Judge].
package gate
