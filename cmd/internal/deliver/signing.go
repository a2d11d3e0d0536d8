package deliver

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/term"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/signature"
)

// Key reads the key that signs; nil where nothing is signed. The password of a key that has one is that
// of a variable, or is asked for on a terminal, once.
func (f *Target) Key(ctx context.Context, a *world.World) (*signature.Key, error) {
	if f.Sign == "" || f.signs != nil {
		return f.signs, nil
	}
	key, err := signature.ReadKey(f.Sign, func() (string, error) {
		if password := a.Env.Get(world.PasswordVariable); password != "" {
			return password, nil
		}
		in, ok := a.Stdin.(*os.File)
		if !ok || !term.IsTerminal(int(in.Fd())) {
			return "", nil
		}
		fmt.Fprintf(a.Stderr, "password of %s: ", prose.FileName(f.Sign))
		password, err := readPassword(ctx, int(in.Fd()))
		fmt.Fprintln(a.Stderr)
		return password, err
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		hint := "minisign -G makes a pair of keys"
		if errors.Is(err, signature.ErrPassword) {
			hint = world.PasswordVariable + " may hold it"
		}
		return nil, problem.BadInput("--sign: "+err.Error(), hint)
	}
	f.signs = key
	return key, nil
}

// readPassword reads a line of a terminal that does not show it, until the context ends. The terminal shows again what
// is typed in any case.
func readPassword(ctx context.Context, terminal int) (string, error) {
	state, err := term.GetState(terminal)
	if err != nil {
		return "", err
	}
	type line struct {
		text []byte
		err  error
	}
	// Nothing ends the reading itself: where it is interrupted, it goes on until the process ends.
	lines := make(chan line, 1)
	go func() {
		text, err := term.ReadPassword(terminal)
		lines <- line{text, err}
	}()
	select {
	case read := <-lines:
		return string(read.text), read.err
	case <-ctx.Done():
		return "", errors.Join(context.Cause(ctx), term.Restore(terminal, state))
	}
}

// TrustOptions says whose signature what is read must have.
type TrustOptions struct {
	Public []string               // keys, or their files
	Keys   *signature.TrustedKeys // nil until read, and where nobody's is asked for
}

// Read reads the keys.
func (f *TrustOptions) Read() (err error) {
	if f.Keys, err = signature.ReadTrusted(f.Public); err != nil {
		return problem.BadInput("--trusted: "+err.Error(),
			"name the public key that minisign -G made, or its line that begins with RW")
	}
	return nil
}

// Check refuses a file that none of the keys has signed.
func (f *TrustOptions) Check(ctx context.Context, a *world.World, file string) error {
	if f.Keys == nil {
		return nil
	}
	text, err := app.ReadFile(ctx, file, a.Stdin)
	if err != nil {
		return err
	}
	if err := f.Keys.Check(file, text); err != nil {
		return problem.BadInput(err.Error(), "tribunal run and gate sign what they save with --sign KEY")
	}
	return nil
}
