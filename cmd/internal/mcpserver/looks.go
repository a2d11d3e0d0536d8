package mcpserver

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/looks"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// lookRequest takes the parts of the errors for one request.
type lookRequest struct {
	server  *Server
	command string
	asked   string // how it is judged: the same trials judged otherwise are another look

	share   looks.Share
	problem string // why looks are not counted; "" where they are
	spent   bool   // there is no part left
	held    bool   // nor for a result that was made with a part of its own
}

// spend is Call.Spend.
func (l *lookRequest) spend(look Look) (int, error) {
	s := l.server
	if s.Ledger == "" {
		l.problem = "counting is off"
		return 0, nil
	}
	names := slices.Compact(slices.Sorted(slices.Values(look.Scenarios)))
	spending := looks.Spending{
		Task:    looks.Digest(append([]string{"task", s.Session}, names...)...),
		Command: l.command, At: s.Now().UTC().Format(time.RFC3339), Continues: look.Continues,
		Share: looks.Share{Of: look.Of},
	}
	if look.Evidence != "" {
		spending.Evidence = l.asked + look.Evidence
	}
	if look.Known || look.Of > 0 {
		// What a run came to is the same look for a gate, however that is asked.
		spending.Evidence = resultPrefix + look.Evidence
	}
	if look.Known {
		if l.share.Number == 0 {
			return 0, nil // nothing was counted
		}
		spending.Share = l.share
	}
	if look.Grew != nil {
		spending.Grew = func(earlier string) bool {
			rest, same := strings.CutPrefix(earlier, l.asked)
			return same && look.Grew(rest)
		}
	}
	share, err := looks.Spend(s.Ledger, spending)
	switch {
	case errors.Is(err, looks.ErrSpent) && look.Of > 0:
		// It may still show that something is wrong; only a yes is held back.
		l.held = true
		return look.Of, nil
	case errors.Is(err, looks.ErrSpent):
		l.spent = true
		return 0, err
	case err != nil:
		l.problem = "the file that counts analyses cannot be written"
		return 0, nil
	}
	l.share = share
	return share.Of, nil
}

// resultPrefix tells the evidence of results from that of recordings.
const resultPrefix = "result "

// sentence says which look it was.
func (l *lookRequest) sentence() string {
	switch {
	case l.problem != "":
		return "Analyses are not counted (" + l.problem + "): repeating the question until the answer is yes makes a " +
			"false yes likely."
	case l.spent:
		return fmt.Sprintf("The analyses of this task are used up: in session %s nothing is left of the error level of "+
			"%s. A person may start another session.", prose.Quote(l.server.Session),
			phrase.Percent(l.server.Level))
	case l.held:
		return "Earlier analyses of this task have used part of the error level, and this result was tested at more than " +
			"is left. The tool run, or tribunal run --looks N, makes trials that are tested at what is left."
	case l.share.Number == 0:
		return ""
	}
	part := fmt.Sprintf("1/%d of", l.share.Of)
	if l.share.Of == 1 {
		part = "all of"
	}
	return fmt.Sprintf("Analysis %d of this task in session %s, tested at %s the error level, so that all analyses "+
		"together keep that level.", l.share.Number, prose.Quote(l.server.Session), part)
}

// figures are what a program reads of it; nil where no look was taken.
func (l *lookRequest) figures() *LookFigures {
	if l.sentence() == "" {
		return nil
	}
	return &LookFigures{
		Counted: l.problem == "", Number: l.share.Number, OneIn: l.share.Of, Spent: l.spent || l.held,
		Session: prose.Excerpt(l.server.Session),
	}
}
