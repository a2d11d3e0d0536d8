package cli

import (
	"cmp"
	"slices"
	"strings"

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

// entry is a command by its path, which may be that of a command below another.
type entry struct {
	path string
	make func(*world.World) *cobra.Command
}

// commands are those of the tree, each behind the one that it is below. cobra lists them in the order of the alphabet.
func commands() []entry {
	return []entry{
		{"init", suitecmd.InitCommand},
		{"try", runcmd.TryCommand},
		{"run", runcmd.RunCommand},
		{"run merge", runcmd.MergeCommand},
		{"run worker", runcmd.WorkerCommand},
		{"run conformance", runcmd.ConformCommand},
		{"run mutants", mutatecmd.MutateCommand},
		{"run relations", mutatecmd.RelateCommand},
		{"gate", runcmd.GateCommand},
		{"repeat", runcmd.RepeatCommand},
		{"check", suitecmd.CheckCommand},
		{"check schema", suitecmd.SchemaCommand},
		{"check evaluators", suitecmd.EvaluatorsCommand},
		{"check coverage", inspectcmd.CoverageCommand},
		{"check contract", inspectcmd.ContractCommand},
		{"check suggest", mutatecmd.SuggestCommand},
		{"verdict", verdictcmd.VerdictCommand},
		{"verdict decide", verdictcmd.DecideCommand},
		{"compare", verdictcmd.CompareCommand},
		{"compare fingerprint", inspectcmd.FingerprintCommand},
		{"compare rank", judgecmd.RankCommand},
		{"monitor", monitorcmd.MonitorCommand},
		{"improve", improvecmd.ImproveCommand},
		{"improve race", improvecmd.RaceCommand},
		{"improve ratchet", improvecmd.RatchetCommand},
		{"plan", plancmd.PlanCommand},
		{"plan month", plancmd.ForecastCommand},
		{"plan limits", plancmd.LimitsCommand},
		{"plan prices", plancmd.PricesCommand},
		{"judge", judgecmd.JudgeCommand},
		{"judge label", judgecmd.LabelCommand},
		{"judge check", judgecmd.JudgeCheckCommand},
		{"import", importcmd.ImportCommand},
		{"import sql", importcmd.SQLCommand},
		{"report", reportcmd.ReportCommand},
		{"report verify", reportcmd.VerifyCommand},
		{"report view", reportcmd.ViewCommand},
		{"report diff", reportcmd.DiffCommand},
		{"store", storecmd.StoreCommand},
		{"store traces", storecmd.TracesCommand},
		{"store history", storecmd.HistoryCommand},
		{"store baseline", storecmd.BaselineCommand},
		{"store scenario", storecmd.PromoteCommand},
		{"store serve", storecmd.ServeCommand},
		{"wire", wirecmd.WireCommand},
		{"mcp", mcpCommand},
		{"completion", completionCommand},
		{"man", manCommand},
		{"version", versionCommand},
	}
}

// moved are the paths of commands that had another, of one word or two.
var moved = map[string]string{
	"merge": "run merge", "worker": "run worker", "conform": "run conformance", "mutate": "run mutants",
	"relate": "run relations", "schema": "check schema", "evaluators": "check evaluators", "coverage": "check coverage",
	"contract": "check contract", "contract check": "check contract",
	"suggest": "check suggest", "decide": "verdict decide",
	"fingerprint": "compare fingerprint", "rank": "compare rank", "race": "improve race", "ratchet": "improve ratchet",
	"forecast": "plan month", "limits": "plan limits", "prices": "plan prices", "label": "judge label",
	"judge-check": "judge check", "sql": "import sql", "verify": "report verify", "traces": "store traces",
	"history": "store history", "baseline": "store baseline", "promote": "store scenario", "serve": "store serve",
}

// short are the short forms of commands, which are in no list.
var short = map[string]string{"view": "report view", "diff": "report diff"}

// renamed are the arguments with the path that a command has now, and says so where it had another.
func renamed(a *world.World, args []string) []string {
	at := 0
	for at < len(args) && (args[at] == "help" || strings.HasPrefix(args[at], "-")) {
		at++
	}
	if at < len(args) && short[args[at]] != "" {
		return slices.Concat(args[:at], strings.Fields(short[args[at]]), args[at+1:])
	}
	for end := min(at+2, len(args)); end > at; end-- {
		name := strings.Join(args[at:end], " ")
		if path := moved[name]; path != "" {
			a.Notice("note", "tribunal %s is tribunal %s now", name, path)
			return slices.Concat(args[:at], strings.Fields(path), args[end:])
		}
	}
	return args
}

// root returns the tree of commands.
func root(a *world.World) *cobra.Command { return tree(a, commands()) }

// asked returns the tree of the one command that the arguments ask for, with those below it: to make all takes a good
// part of the start of any. It has all of them for help, for what is misspelt, and for a manual and completions, which
// are of all commands.
func asked(a *world.World) *cobra.Command {
	all := commands()
	var some []entry
	elsewhere, here := false, false // the second word is a command, of another one
	for _, c := range all {
		first, second, _ := strings.Cut(c.path, " ")
		if len(a.Args) > 0 && a.Args[0] == first && first != "man" && first != "completion" {
			some = append(some, c)
		}
		if len(a.Args) > 1 && a.Args[1] == cmp.Or(second, first) {
			here = here || a.Args[0] == first
			elsewhere = true
		}
	}
	if some == nil || elsewhere && !here {
		some = all
	}
	return tree(a, some)
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
	made := map[string]*cobra.Command{"": root}
	for _, c := range commands {
		command := c.make(a)
		above, name, below := strings.Cut(c.path, " ")
		if !below {
			above, name = "", c.path
		}
		_, arguments, _ := strings.Cut(command.Use, " ")
		command.Use = strings.TrimSpace(name + " " + arguments)
		made[above].AddCommand(command)
		made[c.path] = command
	}
	return base.Dressed(a, root, "tribunal help verdict")
}
