// Package door says who may ask a server on this machine: whoever asks for it by a name of its own, no page of another
// site, and whoever tells the token or knows the secret. Every server here is a [Server], which clients cannot hold.
//
//	handler = door.Rules{Token: token}.Guard(listener.Addr(), handler)
//
// What passes is not encrypted, and a token is as good as its keeping: it is read from a file ([ReadToken]), as command
// lines are shown to every user of a machine.
package door
