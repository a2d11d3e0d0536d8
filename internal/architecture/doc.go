// Package architecture holds the test of the rules that say which package of this
// module may import which.
package architecture
