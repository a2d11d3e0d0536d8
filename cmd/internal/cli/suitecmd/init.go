package suitecmd

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/wire/model"
)

// starter is the suite that a new user starts from, with an agent that works.
//
//go:embed starter
var starter embed.FS

// language is what the agent of a starter is written in.
type language struct {
	flag    string
	agent   string   // its file
	command []string // of the suite
	line    string   // of the suite besides; may be ""
	about   string   // in the help
	signs   []string // files of a folder that has agents of this kind, as globs
}

// languages are those of starters. The last is that of a folder without a sign.
var languages = [...]language{
	{"python", "agent.py", []string{"python3", "agent.py"}, "", "write the agent in Python",
		[]string{"pyproject.toml", "requirements*.txt", "setup.py", "*.py"}},
	{"node", "agent.mjs", []string{"node", "agent.mjs"}, "", "write the agent in JavaScript, for Node",
		[]string{"package.json"}},
	{"http", "http-agent.sh", []string{"sh", "./http-agent.sh"},
		"  env_allow: [AGENT_URL] # where your agent listens; without it a demo answers\n" +
			"  # Once it listens, it can be asked without a script, in place of the two lines above; the\n" +
			"  # response says where in its JSON the answer stands, and what it cost:\n" +
			"  # http: {url: \"http://localhost:8080/run\", response: {output: reply, cost_usd: usage.usd}}\n",
		"write an agent that asks yours at the address $AGENT_URL, by curl", nil},
	{"shell", "agent.sh", []string{"sh", "./agent.sh"}, "", "write the agent as a shell script", nil},
}

// languageOf tells from the files of a folder what agents are written in there.
func languageOf(folder string) language {
	for _, l := range languages {
		for _, sign := range l.signs {
			if found, err := filepath.Glob(filepath.Join(globLiteral(folder), sign)); err == nil && len(found) > 0 {
				return l
			}
		}
	}
	return languages[len(languages)-1]
}

// globLiteral writes a path so that a glob means nothing else.
func globLiteral(path string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(path)
}

// InitCommand gives somebody new a run that works within a minute, without a key or a
// network.
func InitCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "init [FOLDER]",
		Short: "write a suite to start from, with a demo agent that works",
		Long: `Write a commented tribunal.yaml into a folder, which may be new, and beside it its JSON
Schema, for editors, and a small demo agent that needs no key and no network. It is
written in what the folder is: Python where there is a pyproject.toml, requirements or
*.py, JavaScript where there is a package.json, and else as a shell script. Nothing is
overwritten.

With --model the agent is no program: the model of that name is asked itself, and a tool
that it calls answers as the suite says.

With --from the scenarios are those of a promptfoo configuration (YAML or JSON), of a
data set of Inspect (JSON, JSON lines or CSV), of scenarios in TOML, one or a folder, or
of recordings, with limits of what trials took and a contract of what they kept to. What
could not be carried over is listed, and the agent is left to write.`,
		Example: `  tribunal init
  tribunal init demo && tribunal run demo
  tribunal init --python
  tribunal init --model gpt-5-mini
  tribunal init evals --from promptfooconfig.yaml
  tribunal init evals --from runs/`,
		DisableFlagsInUseLine: true,
		Args:                  base.OneArgumentAtMost("folder"),
	}
	var from, named string
	command.Flags().StringVar(&from, "from", "", "make the suite of this `FILE` of another tool, or of recordings")
	command.Flags().StringVar(&named, "model", "", "ask the model of this `NAME` in place of an agent")
	var asked [len(languages)]bool
	for i, l := range languages {
		command.Flags().BoolVar(&asked[i], l.flag, false, l.about)
	}
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		folder := append(args, ".")[0]
		var chosen []language
		for i, l := range languages {
			if asked[i] {
				chosen = append(chosen, l)
			}
		}
		if command.Flags().Changed("model") {
			return initModel(a, folder, named, from, chosen)
		}
		if from != "" && len(chosen) > 0 {
			return problem.Usage("leave one of them out", "--from writes no agent in a language, as --%s does", chosen[0].flag)
		}
		if from != "" {
			return initFrom(ctx, a, folder, from)
		}
		switch len(chosen) {
		case 0:
			chosen = append(chosen, languageOf(folder))
		case 1:
		default:
			return problem.Usage("leave one of them out", "--%s and --%s are two agents", chosen[0].flag, chosen[1].flag)
		}
		return writeStarter(a, folder, chosen[0])
	})
	return command
}

// schemaFile is named by a comment at the top of the starter's suite, for editors.
const schemaFile = "tribunal.schema.json"

// starterFile is a file that init writes.
type starterFile struct {
	name string
	mode fs.FileMode
	text []byte
}

// starterFiles are those of a language. The schema is not embedded twice: it comes from package suite.
func starterFiles(l language) ([]starterFile, error) {
	text, err := starter.ReadFile("starter/" + suite.FileName)
	if err != nil {
		return nil, err
	}
	agent, err := starter.ReadFile("starter/" + l.agent)
	if err != nil {
		return nil, err
	}
	// The starter's own agent is the shell script.
	command := func(words []string) string { return `command: ["` + strings.Join(words, `", "`) + `"]` + "\n" }
	shell := languages[len(languages)-1]
	written := strings.Replace(string(text), command(shell.command), command(l.command)+l.line, 1)
	return []starterFile{
		{suite.FileName, 0o666, []byte(written)}, {l.agent, 0o777, agent}, {schemaFile, 0o666, suite.Schema()},
	}, nil
}

// modelStarter is what stands in the starter for the name and the provider of the model.
const modelStarter = "provider: openai # or anthropic; its key is $OPENAI_API_KEY, or $ANTHROPIC_API_KEY\n" +
	"    name: \"gpt-5-mini\""

// initModel writes a suite that asks a model.
func initModel(a *world.World, folder, name, from string, languages []language) error {
	switch {
	case from != "":
		return problem.Usage("leave one of them out", "--from leaves the agent to write, and --model names one")
	case len(languages) > 0:
		return problem.Usage("leave one of them out", "--model asks a model in place of the agent of --%s", languages[0].flag)
	case name != prose.Printable(name) || strings.TrimSpace(name) == "":
		return problem.Usage("such as --model gpt-5-mini", "%s cannot be the name of a model", prose.Quote(name))
	}
	text, err := starter.ReadFile("starter/model.yaml")
	if err != nil {
		return err
	}
	provider := model.OpenAI
	if strings.HasPrefix(name, "claude") {
		provider = model.Anthropic
	}
	written := strings.Replace(string(text), modelStarter, strings.NewReplacer(
		"provider: openai # or anthropic", "provider: "+string(provider)+" # openai or anthropic",
		`"gpt-5-mini"`, strconv.Quote(name)).Replace(modelStarter), 1)
	err = writeAll(folder, []starterFile{{suite.FileName, 0o666, []byte(written)}, {schemaFile, 0o666, suite.Schema()}})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Out, "%s and the schema for your editor are written. The key is that of $%s.\n",
		filepath.Join(folder, suite.FileName), provider.KeyVariable())
	return errors.Join(err, tellNext(a, folder))
}

// writeStarter looks for all files before it writes the first, so that a folder is not left with
// half of them.
func writeStarter(a *world.World, folder string, l language) error {
	files, err := starterFiles(l)
	if err != nil {
		return err
	}
	if err := writeAll(folder, files); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Out, "%s, %s and the schema for your editor are written. ",
		filepath.Join(folder, suite.FileName), l.agent)
	return errors.Join(err, tellNext(a, folder))
}

// writeAll writes new files into a folder, or none.
func writeAll(folder string, files []starterFile) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return problem.BadInput(fmt.Sprintf("the folder %s cannot be made: %v", folder, problem.WithoutPath(err)), "")
	}
	for _, f := range files {
		// Lstat, as a link to nowhere is there as well.
		if _, err := os.Lstat(filepath.Join(folder, f.name)); err == nil {
			return problem.BadInput(filepath.Join(folder, f.name)+" is there already, and nothing is overwritten",
				"name another folder: tribunal init demo")
		}
	}
	for _, f := range files {
		if err := writeNew(filepath.Join(folder, f.name), f.text, f.mode); err != nil {
			return err
		}
	}
	return nil
}

// tellNext says what to do with a suite that was written.
func tellNext(a *world.World, folder string) error {
	argument, named := "", ""
	if folder != "." {
		argument, named = " "+folder, " --suite "+folder
	}
	width := max(len("tribunal try"+named), len("tribunal check"+argument))
	_, err := fmt.Fprintf(a.Out, "Next:\n"+
		"  %-*s   see one trial\n  %-*s   what a run will take\n  %-*s   run it\n",
		width, "tribunal try"+named, width, "tribunal check"+argument, width, "tribunal run"+argument)
	return err
}

// writeNew writes a file that must not be there. A file that came up since init looked is
// not overwritten either. The mode is subject to the umask.
func writeNew(name string, text []byte, mode fs.FileMode) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return &problem.WriteError{Target: name, Err: err}
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return &problem.WriteError{Target: name, Err: err}
	}
	return nil
}
