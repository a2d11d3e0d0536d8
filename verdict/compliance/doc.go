// Package compliance says how recorded trials keep a contract: see [Judge].
package compliance
