package cli

import (
	"github.com/spf13/cobra"

	"github.com/tribunal-dev/tribunal/internal/cli/base"
	"github.com/tribunal-dev/tribunal/internal/cli/monitorcmd"
	"github.com/tribunal-dev/tribunal/internal/cli/wirecmd"
)

// root returns the tree of commands.
func root(a *base.App) *cobra.Command {
	root := &cobra.Command{
		Use:   "tribunal",
		Short: "Statistical verdicts on systems that do not answer the same way twice",
		Long: `Statistical verdicts on systems that do not answer the same way twice, such as AI
agents. Trials go in, recorded ones or those of an agent that is run; Pass, Fail or
Inconclusive comes out, and the exit code carries it: 0, 1 or 2.`,
		Example: `  tribunal init demo && tribunal run demo
  tribunal verdict trials.jsonl --threshold 0.85
  tribunal compare main.jsonl candidate.jsonl`,
		RunE: a.NoCommand,
	}
	// cobra lists them in the order of the alphabet.
	root.AddCommand(
		verdictCommand(a),
		compareCommand(a),
		planCommand(a),
		fingerprintCommand(a),
		tryCommand(a),
		runCommand(a),
		mergeCommand(a),
		workerCommand(a),
		wirecmd.WireCommand(a),
		repeatCommand(a),
		conformCommand(a),
		mutateCommand(a),
		decideCommand(a),
		relateCommand(a),
		raceCommand(a),
		ratchetCommand(a),
		gateCommand(a),
		reportCommand(a),
		verifyCommand(a),
		monitorcmd.MonitorCommand(a),
		forecastCommand(a),
		historyCommand(a),
		limitsCommand(a),
		pricesCommand(a),
		SQLCommand(a),
		storeCommand(a),
		tracesCommand(a),
		checkCommand(a),
		contractCommand(a),
		initCommand(a),
		schemaCommand(a),
		evaluatorsCommand(a),
		coverageCommand(a),
		suggestCommand(a),
		benchCommand(a),
		importCommand(a),
		judgeCommand(a),
		baselineCommand(a),
		promoteCommand(a),
		labelCommand(a),
		judgeCheckCommand(a),
		serveCommand(a),
		rankCommand(a),
		mcpCommand(a),
		completionCommand(a),
		manCommand(a),
		versionCommand(a),
	)
	return a.Dressed(root, "tribunal help verdict")
}
