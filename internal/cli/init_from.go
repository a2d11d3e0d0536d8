package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/conversion"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
)

// scenariosFile has the scenarios that were made of a file.
const scenariosFile = "scenarios.jsonl"

// initFrom writes a suite of what another tool tests by, and says what is not in it.
func (a *App) initFrom(ctx context.Context, folder, from string) error {
	converted, err := conversion.Read(ctx, from)
	if err != nil {
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
	text := []byte(converted.YAML(suiteName(from), filepath.Base(from), scenariosFile))
	files := []starterFile{
		{suite.FileName, 0o666, text}, {scenariosFile, 0o666, scenarios}, {"agent.sh", 0o777, agent},
		{schemaFile, 0o666, suite.Schema()},
	}
	if err := writeAll(folder, files); err != nil {
		return err
	}
	// What was written must be readable, whatever the file had.
	if _, err := suite.Load(filepath.Join(folder, suite.FileName)); err != nil {
		return err
	}
	for _, line := range converted.LeftOut {
		a.notice("note", "not carried over: %s", line)
	}
	if _, err := fmt.Fprintf(a.stdout, "%s of %s %s written to %s. The agent is yours to write, in agent.sh. ",
		prose.Count(len(converted.Scenarios), "scenario"), prose.FileName(from),
		prose.Form(len(converted.Scenarios), "is", "are"),
		filepath.Join(folder, suite.FileName)); err != nil {
		return err
	}
	return a.tellNext(folder)
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
