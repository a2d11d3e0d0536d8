package authoring

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

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire/model"
)

// starter is the suite that a new user starts from, with an agent that works.
//
//go:embed starter
var starter embed.FS

// Language is what the agent of a starter is written in.
type Language struct {
	Flag    string   // of the command init
	agent   string   // its file
	command []string // of the suite
	line    string   // of the suite besides; may be ""
	About   string   // in the help
	signs   []string // files of a folder that has agents of this kind, as globs
}

// Languages are those of starters. The last is that of a folder without a sign.
var Languages = [...]Language{
	{"python", "agent.py", []string{"python3", "agent.py"}, "", "write the agent in Python",
		[]string{"pyproject.toml", "requirements*.txt", "setup.py", "*.py"}},
	{"node", "agent.mjs", []string{"node", "agent.mjs"}, "", "write the agent in JavaScript, for Node",
		[]string{"package.json"}},
	{"http", "http-agent.sh", []string{"sh", "./http-agent.sh"},
		"  env_allow: [AGENT_URL] # where your agent listens; without it a demo answers\n" +
			"  # Once it listens, it can be asked without a script, in place of the two lines above; the\n" +
			"  # response says where in its JSON the answer stands, and what it cost:\n" +
			"  # http: {url: \"http://localhost:8080/run\", response: {output: reply, cost_usd: usage.usd}}\n",
		"write an agent that calls yours at the address $AGENT_URL, by curl", nil},
	{"shell", "agent.sh", []string{"sh", "./agent.sh"}, "", "write the agent as a shell script", nil},
}

// languageOf tells from the files of a folder what agents are written in there.
func languageOf(folder string) Language {
	for _, l := range Languages {
		for _, sign := range l.signs {
			if found, err := filepath.Glob(filepath.Join(globLiteral(folder), sign)); err == nil && len(found) > 0 {
				return l
			}
		}
	}
	return Languages[len(Languages)-1]
}

// globLiteral writes a path so that a glob means nothing else.
func globLiteral(path string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(path)
}

// InitRequest asks for a suite to start from.
type InitRequest struct {
	Folder    string                 // which may be new
	From      string                 // file of another tool, or of recordings; "" starts with a demo agent
	Model     trial.Optional[string] // that is asked in place of an agent
	Languages []Language             // of the agent, at most one; none is what the folder is
}

// Init writes the suite, and says what comes next.
func Init(ctx context.Context, a *world.World, r InitRequest) error {
	switch {
	case r.Model.Known:
		return initModel(a, r)
	case r.From != "" && len(r.Languages) > 0:
		return problem.Usage("omit one of them", "--from writes no agent in a language, as --%s does",
			r.Languages[0].Flag)
	case r.From != "":
		return initFrom(ctx, a, r.Folder, r.From)
	case len(r.Languages) > 1:
		return problem.Usage("omit one of them", "--%s and --%s are two agents", r.Languages[0].Flag,
			r.Languages[1].Flag)
	}
	return writeStarter(a, r.Folder, append(r.Languages, languageOf(r.Folder))[0])
}

// starterFile is a file that init writes.
type starterFile struct {
	name string
	mode fs.FileMode
	text []byte
}

// starterFiles are those of a language.
func starterFiles(l Language) ([]starterFile, error) {
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
	shell := Languages[len(Languages)-1]
	written := strings.Replace(string(text), command(shell.command), command(l.command)+l.line, 1)
	return []starterFile{
		{suite.FileName, 0o666, []byte(written)}, {l.agent, 0o777, agent},
	}, nil
}

// modelStarter is what stands in the starter for the name and the provider of the model.
const modelStarter = "provider: openai # or anthropic; its key is $OPENAI_API_KEY, or $ANTHROPIC_API_KEY\n" +
	"    name: \"gpt-5-mini\""

// initModel writes a suite that asks a model.
func initModel(a *world.World, r InitRequest) error {
	name, folder := r.Model.Value, r.Folder
	switch {
	case r.From != "":
		return problem.Usage("omit one of them", "--from leaves the agent to write, and --model names one")
	case len(r.Languages) > 0:
		return problem.Usage("omit one of them", "--model calls a model in place of the agent of --%s",
			r.Languages[0].Flag)
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
	err = writeAll(folder, []starterFile{{suite.FileName, 0o666, []byte(written)}})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Out, "%s is written. The key is that of $%s.\n",
		filepath.Join(folder, suite.FileName), provider.KeyVariable())
	return errors.Join(err, tellNext(a, folder))
}

// writeStarter looks for all files before it writes the first, so that a folder is not left with
// half of them.
func writeStarter(a *world.World, folder string, l Language) error {
	files, err := starterFiles(l)
	if err != nil {
		return err
	}
	if err := writeAll(folder, files); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Out, "%s and %s are written. ",
		filepath.Join(folder, suite.FileName), l.agent)
	return errors.Join(err, tellNext(a, folder))
}

// writeAll writes new files into a folder, or none.
func writeAll(folder string, files []starterFile) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return problem.BadInput(fmt.Sprintf("the folder %s cannot be made: %v", folder, problem.WithoutPath(err)),
			"name a folder, such as tribunal init demo")
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
