// Package improvecmd has the commands by which an agent gets better: race, between variants, and ratchet, which keeps
// what is shown to be no worse.
package improvecmd
