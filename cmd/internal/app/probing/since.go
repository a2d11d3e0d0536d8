package probing

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/suite/mutation"
)

// earlier is what the agent was configured with at the revision of --since: its files as they were, and, where the
// suite of that time can be read, the model that it said. A file that was not there is empty.
func (r *MutateRequest) earlier(
	ctx context.Context, s *suite.Suite, base mutation.Configuration,
) (was mutation.Configuration, err error) {
	revision, err := app.FindRevision(ctx, s.Dir(), r.Since)
	if err != nil {
		return was, refusedRevision(err)
	}
	agent := s.Agent
	text, there, err := revision.Read(ctx, s.File, suite.MaxBytes)
	if err != nil {
		return was, refusedRevision(err)
	}
	if old, err := suite.Parse(s.File, text); there && err == nil {
		agent = old.Agent
	}
	if agent.Config != nil {
		config := *agent.Config
		agent.Config = &config
		for _, file := range []*suite.ConfigFile{&config.Prompt, &config.Tools, &config.Context} {
			if !file.Asked() {
				continue
			}
			text, _, err := revision.Read(ctx, filepath.Clean(s.Resolve(file.File)), mutation.MaxContextBytes)
			if err != nil {
				return was, refusedRevision(err)
			}
			if file.Text = string(text); file == &config.Tools && len(text) == 0 {
				file.Text = "[]"
			}
		}
	}
	was, err = agent.Configuration()
	if err != nil {
		return was, problem.BadInput("at "+r.Since+", "+err.Error(), "")
	}
	was.Models = base.Models
	return was, nil
}

// refusedRevision says that git has no such revision, or cannot be run.
func refusedRevision(err error) error {
	if e, ok := errors.AsType[*app.RevisionError](err); ok {
		return problem.Usage(e.Advice, "--since: %s", e.Problem)
	}
	return err
}
