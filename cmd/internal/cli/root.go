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

// entry is a command by its name.
type entry struct {
	name string
	make func(*world.World) *cobra.Command
}

// commands are those of the tree. cobra lists them in the order of the alphabet.
func commands() []entry {
	return []entry{
		{"verdict", verdictcmd.VerdictCommand},
		{"compare", verdictcmd.CompareCommand},
		{"plan", plancmd.PlanCommand},
		{"fingerprint", inspectcmd.FingerprintCommand},
		{"try", runcmd.TryCommand},
		{"run", runcmd.RunCommand},
		{"merge", runcmd.MergeCommand},
		{"worker", runcmd.WorkerCommand},
		{"wire", wirecmd.WireCommand},
		{"repeat", runcmd.RepeatCommand},
		{"conform", runcmd.ConformCommand},
		{"mutate", mutatecmd.MutateCommand},
		{"decide", verdictcmd.DecideCommand},
		{"relate", mutatecmd.RelateCommand},
		{"race", improvecmd.RaceCommand},
		{"ratchet", improvecmd.RatchetCommand},
		{"gate", runcmd.GateCommand},
		{"report", reportcmd.ReportCommand},
		{"verify", reportcmd.VerifyCommand},
		{"monitor", monitorcmd.MonitorCommand},
		{"forecast", plancmd.ForecastCommand},
		{"history", storecmd.HistoryCommand},
		{"limits", plancmd.LimitsCommand},
		{"prices", plancmd.PricesCommand},
		{"sql", importcmd.SQLCommand},
		{"store", storecmd.StoreCommand},
		{"traces", storecmd.TracesCommand},
		{"check", suitecmd.CheckCommand},
		{"contract", inspectcmd.ContractCommand},
		{"init", suitecmd.InitCommand},
		{"schema", suitecmd.SchemaCommand},
		{"evaluators", suitecmd.EvaluatorsCommand},
		{"coverage", inspectcmd.CoverageCommand},
		{"suggest", mutatecmd.SuggestCommand},
		{"import", importcmd.ImportCommand},
		{"judge", judgecmd.JudgeCommand},
		{"baseline", storecmd.BaselineCommand},
		{"promote", storecmd.PromoteCommand},
		{"label", judgecmd.LabelCommand},
		{"judge-check", judgecmd.JudgeCheckCommand},
		{"serve", storecmd.ServeCommand},
		{"rank", judgecmd.RankCommand},
		{"mcp", mcpCommand},
		{"completion", completionCommand},
		{"man", manCommand},
		{"version", versionCommand},
	}
}

// root returns the tree of commands.
func root(a *world.World) *cobra.Command { return tree(a, commands()) }

// asked returns the tree of the one command that the arguments ask for: to make all takes a good part of the start of
// any. It has all of them for help, for what is misspelt, and for a manual and completions, which are of all commands.
func asked(a *world.World) *cobra.Command {
	all := commands()
	for i, c := range all {
		if len(a.Args) > 0 && a.Args[0] == c.name && c.name != "man" && c.name != "completion" {
			return tree(a, all[i:i+1])
		}
	}
	return tree(a, all)
}

// tree returns a tree of these commands.
func tree(a *world.World, commands []entry) *cobra.Command {
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
	for _, c := range commands {
		root.AddCommand(c.make(a))
	}
	return base.Dressed(a, root, "tribunal help verdict")
}
