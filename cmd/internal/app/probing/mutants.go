package probing

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/suite/mutation"
	"github.com/tribunal-dev/tribunal/verdict/mutants"
)

// runCampaign runs the suite on the mutants. All is how many there are without a sample.
func (r *MutateRequest) runCampaign(
	ctx context.Context, a *world.World, s *suite.Suite, base mutation.Configuration,
	list []mutation.Mutant, all int,
) error {
	if err := r.CheckParts("campaign"); err != nil {
		return err
	}
	list, inWorld := apart(list, s)
	if inWorld > 0 {
		a.Notice("note", "%s of results of tools left out: they are changed on the wire (wire: true)",
			prose.Count(inWorld, "mutant"))
	}
	if len(list) == 0 {
		return problem.BadInput(fmt.Sprintf("%v of %s", mutants.ErrEmpty, s.Name),
			"tribunal run mutants --list shows which there are")
	}
	c := &campaign{MutateRequest: *r, suite: s, agents: map[string]suite.Agent{}, prompt: map[int]string{}}
	c.options = mutants.Options{Known: len(mutation.Operators())}
	if all > len(list)+inWorld {
		c.options.Space = all - inWorld
	}
	// From the folder of the suite paths of agents lead elsewhere.
	folder, err := filepath.Abs(filepath.Join(app.FilesOf(s, false).Folder, "mutation", s.Name+".agents"))
	if err != nil {
		return err
	}
	lines := strings.Split(base.Prompt, "\n")
	operators := map[string]bool{}
	for _, m := range list {
		changed, err := m.Apply(base)
		if err != nil {
			return fmt.Errorf("mutant %s: %w", m.ID, err)
		}
		own := filepath.Join(folder, m.ID)
		if err := os.MkdirAll(own, 0o700); err != nil {
			return problem.BadInput(fmt.Sprintf("the folder %s cannot be made: %v", own, problem.WithoutPath(err)), "")
		}
		if c.agents[m.ID], err = s.Agent.MutatedBy(m, base, own); err != nil {
			return fmt.Errorf("mutant %s: %w", m.ID, err)
		}
		tried := mutants.Mutant{ID: m.ID, Key: m.Key, Operator: m.Operator, Class: string(m.Class),
			Severity: string(m.Severity),
			Paper:    paperOf(m.Operator), Site: m.Site.String(), Diff: mutation.Diff(base, changed)}
		if m.Class == mutation.PromptClass && m.Site.Line > 0 {
			for line := m.Site.Line; line <= max(m.Site.Line, m.Site.EndOfLine) && line <= len(lines); line++ {
				tried.Lines = append(tried.Lines, line)
				c.prompt[line] = strings.TrimSpace(lines[line-1])
			}
		}
		c.list = append(c.list, tried)
		operators[m.Operator] = true
	}
	c.options.Operators = len(operators)
	return c.try(ctx, a)
}

// apart leaves out mutants that a campaign cannot bring about: of results of tools, without a wire. It says how many.
func apart(list []mutation.Mutant, s *suite.Suite) (kept []mutation.Mutant, left int) {
	for _, m := range list {
		if m.Class == mutation.ResultClass && s.Agent.Wire == nil {
			left++
			continue
		}
		kept = append(kept, m)
	}
	return kept, left
}

// paperOf is the name of an operator in AgentAssay; "" of others.
func paperOf(name string) string {
	for _, o := range mutation.Operators() {
		if o.Name == name {
			return o.Paper
		}
	}
	return ""
}
