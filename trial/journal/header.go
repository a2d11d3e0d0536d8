package journal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// HeaderError says that a journal is that of another run: its trials were not chosen
// and judged as they would be now.
type HeaderError struct {
	File  string // the journal
	Field string // such as "suite", "seed" or `design of test "x"`
	Have  string // in the journal
	Want  string // of the run that would continue it
	// What the digest of another suite is of, in the journal and now; nil where a journal does not tell.
	Before, After []string
	Changes       []string // in which the two differ, for who can read them; nil is not known
}

// ExitCode is that of input that cannot be used.
func (e *HeaderError) ExitCode() int { return exit.Input }

func (e *HeaderError) Error() string {
	const advice = "undo the change, or begin a new run with another journal"
	if len(e.Changes) > 0 {
		const most = 6 // chosen: a change of more is another suite
		return fmt.Sprintf("journal %s is that of another run: its %s changed since: %s; "+advice,
			prose.FileName(e.File), e.Field, prose.Some(e.Changes, most))
	}
	if strings.HasPrefix(e.Field, "design of ") { // of which the digests say nothing to a person
		return fmt.Sprintf("journal %s is that of another run: its %s is another one; continue it with the command and "+
			"options that began it, as run and gate design their tests differently, or begin a new run with another journal",
			prose.FileName(e.File), e.Field)
	}
	return fmt.Sprintf("journal %s is that of another run: its %s is %s, now it is %s; "+
		advice,
		prose.FileName(e.File), e.Field, e.Have, e.Want)
}

// Check returns a [HeaderError] for the first thing in which the run that is wanted differs from that of the journal in
// a file.
func (h Header) Check(file string, want Header) error { return h.check(file, want) }

// check returns a [HeaderError] for the first thing in which the run that is wanted
// differs. The version of the program may differ.
//
// Digests stand for the suite and the designs: if they are equal, the same trials would be launched and
// judged alike.
func (h Header) check(file string, want Header) error {
	differs := func(field, have, want string) error {
		return &HeaderError{File: file, Field: field, Have: have, Want: want}
	}
	named := func(profile string) string {
		if profile == "" {
			return "none"
		}
		return fmt.Sprintf("%q", profile)
	}
	switch {
	case !sameShard(h.Shard, want.Shard):
		return differs("part", shardText(h.Shard), shardText(want.Shard))
	case h.Profile != want.Profile:
		return differs("profile", named(h.Profile), named(want.Profile))
	case h.Suite != want.Suite:
		return &HeaderError{
			File: file, Field: "suite", Have: h.Suite, Want: want.Suite, Before: h.Describes, After: want.Describes,
		}
	case h.Seed != want.Seed:
		return differs("seed", fmt.Sprint(h.Seed), fmt.Sprint(want.Seed))
	case !slices.Equal(h.Unconfined, want.Unconfined):
		return differs("list of what could not be confined", fmt.Sprintf("%q", h.Unconfined),
			fmt.Sprintf("%q", want.Unconfined))
	case h.Calibrate != want.Calibrate:
		return differs("number of trials that calibrate", fmt.Sprint(h.Calibrate), fmt.Sprint(want.Calibrate))
	case len(h.Tests) != len(want.Tests):
		return differs("number of tests", fmt.Sprint(len(h.Tests)), fmt.Sprint(len(want.Tests)))
	}
	// The order of the tests counts too, since turns are drawn by it.
	for i, have := range h.Tests {
		want := want.Tests[i]
		switch {
		case have.Name != want.Name:
			return differs("test", fmt.Sprintf("%q", have.Name), fmt.Sprintf("%q", want.Name))
		case have.Variant != want.Variant:
			return differs(fmt.Sprintf("variant of test %q", have.Name), fmt.Sprintf("%q", have.Variant),
				fmt.Sprintf("%q", want.Variant))
		case have.Design != want.Design:
			return differs(fmt.Sprintf("design of test %q", have.Name), have.Design, want.Design)
		case !slices.Equal(have.Scenarios, want.Scenarios):
			return differs(fmt.Sprintf("list of scenarios of test %q", have.Name),
				fmt.Sprintf("%q", have.Scenarios), fmt.Sprintf("%q", want.Scenarios))
		}
	}
	return nil
}
