package cli

import (
	"github.com/spf13/cobra"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/importcmd"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/improvecmd"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/inspectcmd"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/judgecmd"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/monitorcmd"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/mutatecmd"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/plancmd"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/reportcmd"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/runcmd"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/storecmd"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/suitecmd"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/verdictcmd"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/wirecmd"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// root returns the tree of commands.
func root(a *world.World) *cobra.Command {
	root := &cobra.Command{
		Use:   "tribunal",
		Short: "Statistical verdicts on systems that do not answer the same way twice",
		Long: `Statistical verdicts on systems that do not answer the same way twice, such as AI
agents. Trials go in, recorded ones or those of an agent that is run; Pass, Fail or
Inconclusive comes out, and the exit code carries it: 0, 1 or 2.`,
		Example: `  tribunal init demo && tribunal run demo
  tribunal verdict trials.jsonl --threshold 0.85
  tribunal compare main.jsonl candidate.jsonl`,
		RunE: base.NoCommand(a),
	}
	// cobra lists them in the order of the alphabet.
	root.AddCommand(
		verdictcmd.VerdictCommand(a),
		verdictcmd.CompareCommand(a),
		plancmd.PlanCommand(a),
		inspectcmd.FingerprintCommand(a),
		runcmd.TryCommand(a),
		runcmd.RunCommand(a),
		runcmd.MergeCommand(a),
		runcmd.WorkerCommand(a),
		wirecmd.WireCommand(a),
		runcmd.RepeatCommand(a),
		runcmd.ConformCommand(a),
		mutatecmd.MutateCommand(a),
		verdictcmd.DecideCommand(a),
		mutatecmd.RelateCommand(a),
		improvecmd.RaceCommand(a),
		improvecmd.RatchetCommand(a),
		runcmd.GateCommand(a),
		reportcmd.ReportCommand(a),
		reportcmd.VerifyCommand(a),
		monitorcmd.MonitorCommand(a),
		plancmd.ForecastCommand(a),
		storecmd.HistoryCommand(a),
		plancmd.LimitsCommand(a),
		plancmd.PricesCommand(a),
		importcmd.SQLCommand(a),
		storecmd.StoreCommand(a),
		storecmd.TracesCommand(a),
		suitecmd.CheckCommand(a),
		inspectcmd.ContractCommand(a),
		suitecmd.InitCommand(a),
		suitecmd.SchemaCommand(a),
		suitecmd.EvaluatorsCommand(a),
		inspectcmd.CoverageCommand(a),
		mutatecmd.SuggestCommand(a),
		importcmd.ImportCommand(a),
		judgecmd.JudgeCommand(a),
		storecmd.BaselineCommand(a),
		storecmd.PromoteCommand(a),
		judgecmd.LabelCommand(a),
		judgecmd.JudgeCheckCommand(a),
		storecmd.ServeCommand(a),
		judgecmd.RankCommand(a),
		mcpCommand(a),
		completionCommand(a),
		manCommand(a),
		versionCommand(a),
	)
	return base.Dressed(a, root, "tribunal help verdict")
}
