package deliver

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/signature"
)

// RegisterSign registers the flag of what saves a result.
func (f *Flags) RegisterSign(flags *pflag.FlagSet) {
	flags.StringVar(&f.sign, "sign", "",
		"sign what is saved with this private `KEY` of minisign; the signature is FILE.minisig")
}

// Key reads the key that signs; nil where nothing is signed. The password of a key that has one is that
// of a variable, or is asked for on a terminal, once.
func (f *Flags) Key(ctx context.Context, a *world.World) (*signature.Key, error) {
	if f.sign == "" || f.signs != nil {
		return f.signs, nil
	}
	key, err := signature.ReadKey(f.sign, func() (string, error) {
		if password := a.Env.Get(world.PasswordVariable); password != "" {
			return password, nil
		}
		in, ok := a.Stdin.(*os.File)
		if !ok || !term.IsTerminal(int(in.Fd())) {
			return "", nil
		}
		fmt.Fprintf(a.Stderr, "password of %s: ", prose.FileName(f.sign))
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

// TrustedFlags say whose signature what is read must have.
type TrustedFlags struct {
	list []string
	Keys *signature.Trusted // nil until read, and where nobody's is asked for
}

// Register registers the flag.
func (f *TrustedFlags) Register(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.list, "trusted", nil,
		"believe only files that this public `KEY` of minisign has signed, in FILE.minisig; may be given again")
}

// Read reads the keys.
func (f *TrustedFlags) Read() (err error) {
	if f.Keys, err = signature.ReadTrusted(f.list); err != nil {
		return problem.BadInput("--trusted: "+err.Error(),
			"name the public key that minisign -G made, or its line that begins with RW")
	}
	return nil
}

// Check refuses a file that none of the keys has signed.
func (f *TrustedFlags) Check(ctx context.Context, a *world.World, file string) error {
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
