package relation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// seedVariable has the seed of a paraphrase for the program that makes it.
const seedVariable = "TRIBUNAL_SEED"

// Paraphrase has a program write a text in an input anew. The program gets the text on standard input and prints the
// other one; the variable TRIBUNAL_SEED has a number by which it may choose. A program that fails, or prints nothing,
// is an error of the pair.
func Paraphrase(at Place, program process.Command) Transform { return paraphrase{at, program} }

type paraphrase struct {
	at      Place
	program process.Command
}

func (p paraphrase) fits(input trial.Raw) error {
	_, err := p.at.text(input)
	return err
}

func (p paraphrase) Apply(ctx context.Context, input trial.Raw, seed uint64) (trial.Raw, error) {
	text, err := p.at.text(input)
	if err != nil {
		return nil, err
	}
	program := p.program
	program.Environment.Set = maps.Clone(program.Environment.Set)
	if program.Environment.Set == nil {
		program.Environment.Set = map[string]string{}
	}
	program.Environment.Set[seedVariable] = strconv.FormatUint(seed, 10)
	ended, err := program.Run(ctx, []byte(text))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the program that paraphrases cannot be run: %w", err)
	case ended.Cancelled:
		return nil, context.Cause(ctx)
	case ended.TimedOut:
		return nil, fmt.Errorf("the program that paraphrases did not end within %v", program.Timeout)
	case ended.ExitCode != 0:
		return nil, fmt.Errorf("the program that paraphrases ended with exit code %d; its standard error ends with %q",
			ended.ExitCode, prose.Excerpt(prose.LastLine(ended.Stderr)))
	}
	other := strings.ToValidUTF8(strings.TrimRight(string(ended.Stdout), "\r\n"), "\uFFFD")
	if strings.TrimSpace(other) == "" {
		return nil, errors.New("the program that paraphrases printed nothing")
	}
	return p.at.Replace(input, trial.RawString(other))
}
