package authoring

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/conversion"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/proposal"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// scenariosFile has the scenarios that were made of a file.
const scenariosFile = "scenarios.jsonl"

// initFrom writes a suite of what another tool tests by, or of recordings, and says what is not in it.
func initFrom(ctx context.Context, a *world.World, folder, from string) error {
	converted, err := conversion.Read(ctx, from)
	if err != nil {
		if are, asRecordings := initFromRecordings(ctx, a, folder, from); are {
			return asRecordings
		}
		return err
	}
	scenarios, err := converted.Lines()
	if err != nil {
		return err
	}
	agent, err := starter.ReadFile("starter/unwritten-agent.sh")
	if err != nil {
		return err
	}
	text := []byte(converted.YAML(suiteName(cmp.Or(converted.Name, from)), filepath.Base(from), scenariosFile))
	files := []starterFile{
		{suite.FileName, 0o666, text}, {scenariosFile, 0o666, scenarios}, {"agent.sh", 0o777, agent},
	}
	notes := make([]string, len(converted.LeftOut))
	for i, line := range converted.LeftOut {
		notes[i] = "not carried over: " + line
	}
	if err := writeSuite(a, folder, files, notes); err != nil {
		return err
	}
	return tellMade(a, folder, from, len(converted.Scenarios))
}

const (
	contractFile = "contract.yaml"
	limitsFile   = "limits.yaml"
)

// initFromRecordings writes a suite with the scenarios of recordings, limits of what trials took that did not fail, and
// a contract of what they kept to. It reports whether these are recordings: whether a trial was read of them.
func initFromRecordings(ctx context.Context, a *world.World, folder, from string) (are bool, err error) {
	var seen proposal.Suite
	o := ingest.Options{Options: trial.Options{Unjudged: true}, AllVariants: true}
	if err := evidence.Read(ctx, a, []string{from}, o, evidence.Counted, seen.Add); err != nil {
		return seen.Trials+seen.Failed > 0, err
	}
	p, err := seen.Propose(proposal.Options{Share: 0.95, Confidence: 0.95, From: filepath.Base(from)})
	if err != nil {
		return true, err
	}
	return true, writeProposal(a, folder, from, p)
}

// writeProposal writes the suite of recordings.
func writeProposal(a *world.World, folder, from string, p *proposal.Proposal) error {
	files := []starterFile{{scenariosFile, 0o666, p.Scenarios}}
	var b strings.Builder
	fmt.Fprintf(&b, "# Made of the recordings %s.\n", prose.Printable(filepath.Base(from)))
	for _, line := range p.Notes {
		fmt.Fprintf(&b, "# %s\n", line)
	}
	fmt.Fprintf(&b, "version: 1\nname: %s\n", suiteName(from))
	if p.Limits != "" {
		files = append(files, starterFile{limitsFile, 0o666, []byte(p.Limits)})
		fmt.Fprintf(&b, "include: %s # what a trial may take\n", limitsFile)
	} else {
		b.WriteString("limits: none # of turns and cost: see above\n")
	}
	fmt.Fprintf(&b, `agent:
  command: ["sh", "./agent.sh"] # it has to be written: see there
  # env_allow: [API_KEY]
%s
`, conversion.TestOf(p.Count, false))
	if p.Contract != "" {
		files = append(files, starterFile{contractFile, 0o666, []byte(p.Contract)})
		fmt.Fprintf(&b, "defaults:\n  evaluate: [{contract: %s}] # and, by scenario, tools that were always called\n",
			contractFile)
	}
	fmt.Fprintf(&b, "scenarios: {from: %s}\n", scenariosFile)
	agent, err := starter.ReadFile("starter/unwritten-agent.sh")
	if err != nil {
		return err
	}
	files = append(files, starterFile{suite.FileName, 0o666, []byte(b.String())}, starterFile{"agent.sh", 0o777, agent})
	if err := writeSuite(a, folder, files, p.Notes); err != nil {
		return err
	}
	return tellMade(a, folder, from, p.Count)
}

// writeSuite writes the files of a suite, which must be readable then, and notes what is to be known of it.
func writeSuite(a *world.World, folder string, files []starterFile, notes []string) error {
	if err := writeAll(folder, files); err != nil {
		return err
	}
	if _, err := suite.Load(filepath.Join(folder, suite.FileName)); err != nil {
		return err
	}
	for _, line := range notes {
		a.Notice("note", "%s", line)
	}
	return nil
}

// tellMade says how many scenarios were made of what, and what comes next.
func tellMade(a *world.World, folder, from string, scenarios int) error {
	if _, err := fmt.Fprintf(a.Out, "%s of %s %s written to %s. The agent is yours to write, in agent.sh. ",
		prose.Count(scenarios, "scenario"), prose.FileName(from), prose.Form(scenarios, "is", "are"),
		filepath.Join(folder, suite.FileName)); err != nil {
		return err
	}
	return tellNext(a, folder)
}

// suiteName makes the name of a suite from that of a file.
func suiteName(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	name = strings.Trim(regexp.MustCompile(`[^A-Za-z0-9._-]+`).ReplaceAllString(name, "-"), "-._")
	if name == "" {
		name = "suite"
	}
	return name[:min(len(name), 100)]
}
