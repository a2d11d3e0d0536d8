// Package signature signs files, and tells whether a file has the signature of a key that is trusted,
// in the format of minisign (Ed25519 over BLAKE2b-512): the signature of a file stands beside it, with
// [Extension] behind its name, and the program minisign makes and checks the same ones.
//
//	key, err := signature.ReadKey("ci.key", password)
//	err = key.Sign("shop.result.json", text) // writes shop.result.json.minisig
//
//	trusted, err := signature.ReadTrusted([]string{"ci.pub"})
//	err = trusted.Check("shop.result.json", text) // nil: one of the keys signed this text
//
// A signature says who vouches for a file, and nothing of what is in it.
package signature
