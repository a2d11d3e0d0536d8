package signature

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"aead.dev/minisign"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Extension is what the name of a signature has behind that of its file.
const Extension = ".minisig"

// mostBytes is more than any key or signature has.
const mostBytes = 64 << 10

// ErrPassword says that a key needs a password, and none was given.
var ErrPassword = errors.New("the key has a password, and none is given")

// Key is a private key that signs.
type Key struct{ key minisign.PrivateKey }

// ReadKey reads a private key, as minisign -G makes it. The function is asked for the password of one
// that has one; nil, or "" from it, is [ErrPassword].
func ReadKey(file string, password func() (string, error)) (*Key, error) {
	text, err := readSmall(file)
	if err != nil {
		return nil, err
	}
	var k Key
	if !minisign.IsEncrypted(text) {
		if err := k.key.UnmarshalText(text); err != nil {
			return nil, fmt.Errorf("%s is no private key of minisign: %w", prose.FileName(file), err)
		}
		return &k, nil
	}
	word := ""
	if password != nil {
		if word, err = password(); err != nil {
			return nil, err
		}
	}
	if word == "" {
		return nil, fmt.Errorf("%s: %w", prose.FileName(file), ErrPassword)
	}
	if k.key, err = minisign.DecryptKey(word, text); err != nil {
		return nil, fmt.Errorf("%s cannot be read with this password: %w", prose.FileName(file), err)
	}
	return &k, nil
}

// Sign returns the signature of a text that a file of this name is to hold.
func (k *Key) Sign(file string, text []byte) []byte {
	// The name is signed too: it shows where one signature was put beside another file.
	trusted := "file:" + strings.Map(onLine, filepath.Base(file)) + "\thashed"
	return minisign.SignWithComments(k.key, text, trusted, "signature of a result of tribunal")
}

// onLine keeps what a comment cannot hold out of it.
func onLine(r rune) rune {
	if r < ' ' || r == 0x7f {
		return '_'
	}
	return r
}

// TrustedKeys are public keys. A nil one trusts anybody.
type TrustedKeys struct{ keys []minisign.PublicKey }

// ReadTrusted reads public keys: files as minisign -G makes them, or the line of such a key, which
// begins with RW. None are nil.
func ReadTrusted(list []string) (*TrustedKeys, error) {
	if len(list) == 0 {
		return nil, nil
	}
	t := &TrustedKeys{}
	for _, name := range list {
		var key minisign.PublicKey
		text := []byte(name)
		if key.UnmarshalText(text) != nil {
			var err error
			if text, err = readSmall(name); err != nil {
				return nil, err
			}
			if err := key.UnmarshalText(text); err != nil {
				return nil, fmt.Errorf("%s is no public key of minisign: %w", prose.FileName(name), err)
			}
		}
		t.keys = append(t.keys, key)
	}
	return t, nil
}

// Check returns an error unless one of the keys has signed the text, which is that of a file: its
// signature is read from beside it. Of no keys, nil, any text will do.
func (t *TrustedKeys) Check(file string, text []byte) error {
	if t == nil {
		return nil
	}
	name := prose.FileName(file)
	if file == "-" {
		return errors.New("standard input has no signature beside it: name a file")
	}
	signature, err := readSmall(file + Extension)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not signed: there is no %s", name, prose.FileName(file+Extension))
	}
	if err != nil {
		return err
	}
	for _, key := range t.keys {
		if minisign.Verify(key, text, signature) {
			return nil
		}
	}
	var made minisign.Signature
	if err := made.UnmarshalText(signature); err != nil {
		return fmt.Errorf("%s is no signature of minisign: %w", prose.FileName(file+Extension), err)
	}
	for _, key := range t.keys {
		if key.ID() == made.KeyID {
			return fmt.Errorf("%s is not what was signed: it was changed since, or its signature was", name)
		}
	}
	return fmt.Errorf("%s is signed by the key %X, which is not trusted", name, made.KeyID)
}

// readSmall reads a file that is small, as keys and signatures are.
func readSmall(file string) ([]byte, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", prose.FileName(file))
	case info.Size() > mostBytes:
		return nil, fmt.Errorf("%s is too large for a key or a signature", prose.FileName(file))
	}
	text, err := os.ReadFile(file)
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("%s cannot be read: %w", prose.FileName(file), path.Err)
	}
	return text, err
}
