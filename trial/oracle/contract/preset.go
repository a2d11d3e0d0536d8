package contract

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// preset is a clause that many contracts need, by a word.
type preset struct {
	Name    string // as in preset: git
	Summary string // of what it forbids, in a line

	forbid, allow Patterns
	judge         func(words []string) (why string) // of a command, where patterns do not say it; nil: none
	keys          bool                              // keys in arguments are forbidden
	writes        bool                              // paths that are written to alone count
}

// presets are all of them but tree, which has a folder.
var presets = []preset{
	{
		Name: "git",
		Summary: "what loses work or changes what others have: forced pushes, pushes to main or master, deleted branches " +
			"and tags, reset --hard, clean -f, thrown away changes, rewritten history",
		judge: gitForbids,
	},
	{
		Name:    "deploy",
		Summary: "what changes systems that others use: releases, deployments, and publishing to registries",
		forbid: Patterns{
			Tools: []string{"deploy", "deploy_*", "*_deploy", "*_deployment", "publish_*", "release_*"},
			Commands: []string{
				"kubectl apply", "kubectl delete", "kubectl create", "kubectl replace", "kubectl patch", "kubectl scale",
				"kubectl rollout", "kubectl drain", "helm install", "helm upgrade", "helm uninstall", "helm rollback",
				"terraform apply", "terraform destroy", "tofu apply", "tofu destroy", "pulumi up", "pulumi destroy",
				"npm publish", "pnpm publish", "yarn publish", "yarn npm publish", "cargo publish", "twine upload",
				"gem push", "docker push", "podman push", "gh release", "gcloud * deploy", "gcloud app deploy",
				"gcloud run deploy", "gcloud functions deploy", "aws * deploy", "aws deploy", "aws cloudformation *-stack",
				"az webapp deploy", "fly deploy", "flyctl deploy", "vercel deploy", "vercel --prod", "netlify deploy",
				"heroku *", "serverless deploy", "sls deploy", "cdk deploy", "cdk destroy", "ansible-playbook",
				"systemctl restart", "systemctl stop", "systemctl disable",
			},
		},
	},
	{
		Name:    "secrets",
		Summary: "reading files of keys and credentials, and keys that stand in arguments",
		forbid: Patterns{
			Paths: []string{
				".env", ".env.*", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "id_rsa", "id_dsa",
				"id_ecdsa", "id_ed25519", ".netrc", "_netrc", ".pgpass", ".git-credentials", ".npmrc", ".pypirc", ".htpasswd",
				"credentials.json", "service-account*.json", "secrets.yaml", "secrets.yml", "secrets.json", ".vault-token",
				"**/.ssh/**", "**/.gnupg/**", "**/.aws/**", "**/.kube/**", "**/.docker/config.json", "**/.azure/**",
				"**/.config/gcloud/**", "**/.config/gh/**", "/etc/shadow", "/etc/sudoers", "/proc/*/environ", "/run/secrets/**",
			},
			Commands: []string{
				"printenv", "gpg --export-secret-keys", "gpg --export-secret-key", "security find-generic-password",
				"security find-internet-password", "pass show", "gh auth token", "gcloud auth print-access-token",
				"aws configure get", "vault read", "vault kv get", "kubectl get secret", "kubectl get secrets",
				"git credential fill", "op read",
			},
		},
		keys:  true,
		allow: Patterns{Paths: []string{".env.example", ".env.sample", ".env.template", "*.pub"}},
	},
}

// allPresets are those that there are, with tree as it is written.
func allPresets() []preset {
	all := slices.Clone(presets)
	return append(all, preset{Name: treeName + "DIR", Summary: "writing outside of the folder DIR"})
}

// treeName begins the name of a preset with a folder.
const treeName = "tree:"

// presetOf finds a preset by its name.
func presetOf(name string) (preset, error) {
	if dir, ok := strings.CutPrefix(name, treeName); ok {
		return treeOf(name, dir)
	}
	for _, p := range presets {
		if p.Name == name {
			return p, nil
		}
	}
	var names []string
	for _, p := range allPresets() {
		names = append(names, p.Name)
	}
	return preset{}, errPattern("is no preset", "one of "+strings.Join(names, ", "))
}

// treeOf is the preset that keeps to a folder. Its name may be one that many folders have; / is none.
func treeOf(name, dir string) (preset, error) {
	clean := normalPath(dir)
	if clean == "" || clean == "/" || !path.IsAbs(clean) && !strings.HasPrefix(clean, "~") && !drive().MatchString(clean) {
		return preset{}, errPattern("has no absolute folder", "such as tree:/srv/work")
	}
	quoted := strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`).Replace(clean)
	return preset{
		Name: name, Summary: "writing outside of the folder " + clean,
		forbid: Patterns{Paths: []string{"/**", "~", "~/**", "[A-Za-z]:/**", "..", "../**"}},
		allow:  Patterns{Paths: []string{quoted, "/dev/null", "/dev/stdout", "/dev/stderr"}},
		writes: true,
	}, nil
}

// guardrail is the preset ready for use.
func (p preset) guardrail() (*guard, error) {
	g := &guard{judge: p.judge, preset: p.Name, keys: p.keys, writes: p.writes}
	for _, side := range []struct {
		from Patterns
		to   *patterns
	}{{p.forbid, &g.forbid}, {p.allow, &g.allow}} {
		if err := side.to.parse(side.from); err != nil {
			return nil, fmt.Errorf("preset %s: %w", p.Name, err)
		}
	}
	return g, nil
}

// parse parses the texts of patterns.
func (p *patterns) parse(texts Patterns) error {
	for _, text := range texts.Tools {
		g, err := parseGlob(text, ofTool)
		if err != nil {
			return err
		}
		p.tools = append(p.tools, g)
	}
	for _, text := range texts.Paths {
		g, err := parsePath(text)
		if err != nil {
			return err
		}
		p.paths = append(p.paths, g)
	}
	for _, text := range texts.Commands {
		c, err := parseCommand(text)
		if err != nil {
			return err
		}
		p.commands = append(p.commands, c)
	}
	return nil
}

// gitForbids judges the words of a command.
func gitForbids(words []string) (why string) {
	if programName(words[0]) != "git" {
		return ""
	}
	sub, options, rest := gitWords(words[1:])
	has := func(names ...string) bool {
		return slices.ContainsFunc(options, func(o string) bool { return isOption(o, names) })
	}
	switch sub {
	case "push":
		return gitPush(has, rest)
	case "reset":
		return where(has("--hard", "--merge", "--keep"), "git reset that throws changes away")
	case "clean":
		return where(has("-f", "--force") && !has("-n", "--dry-run"), "git clean that deletes files")
	case "filter-branch", "filter-repo", "replace":
		return "git " + sub
	case "rebase":
		return where(!has("--abort", "--quit", "--continue", "--skip"), "git rebase, which rewrites history")
	case "commit":
		return where(has("--amend"), "git commit --amend, which rewrites history")
	case "branch":
		return where(has("-D", "-M", "-C") || has("-f", "--force") || has("-d", "--delete") && has("-f", "--force"),
			"git branch that drops or moves one by force")
	case "tag":
		return where(has("-d", "--delete") || has("-f", "--force"), "git tag that drops or moves one")
	case "checkout", "switch":
		return where(has("-f", "--force", "--discard-changes") || sub == "checkout" && has("--") ||
			sub == "checkout" && slices.Contains(rest, "."), "git "+sub+" that throws changes away")
	case "restore":
		return where(!has("--staged", "-S") || has("--worktree", "-W"), "git restore that throws changes away")
	case "stash":
		return where(len(rest) > 0 && (rest[0] == "drop" || rest[0] == "clear"), "git stash that throws changes away")
	case "update-ref":
		return "git update-ref"
	case "reflog":
		return where(len(rest) > 0 && (rest[0] == "expire" || rest[0] == "delete"), "git reflog that forgets")
	case "gc":
		return where(slices.ContainsFunc(options, func(o string) bool { return strings.HasPrefix(o, "--prune") }),
			"git gc --prune")
	}
	return ""
}

// gitPush judges a push: by force, of what is deleted, and to the branches that others build on.
func gitPush(has func(...string) bool, rest []string) string {
	switch {
	case has("-f", "--force", "--force-with-lease", "--force-if-includes", "--mirror", "--prune"):
		return "git push by force"
	case has("-d", "--delete"):
		return "git push that deletes"
	case has("--all", "--branches"):
		return "git push of every branch"
	}
	for i, ref := range rest {
		from, to, pair := strings.Cut(ref, ":")
		if !pair {
			to = from
		}
		switch to = strings.TrimPrefix(strings.TrimPrefix(to, "+"), "refs/heads/"); {
		case i == 0 && len(rest) > 1 || i == 0 && !isMain(ref): // the repository
		case strings.HasPrefix(ref, "+"):
			return "git push by force"
		case pair && from == "":
			return "git push that deletes"
		case isMain(to):
			return "git push to " + to
		}
	}
	return ""
}

// isMain reports whether a branch is one that others build on.
func isMain(branch string) bool { return branch == "main" || branch == "master" }

// where is a text where a condition holds.
func where(holds bool, text string) string {
	if holds {
		return text
	}
	return ""
}

// gitWithValue are options of git itself whose value is the next word.
var gitWithValue = []string{
	"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env",
	"--attr-source",
}

// gitWords are the command of git, its options and its other words. All behind -- are other words.
func gitWords(words []string) (sub string, options, rest []string) {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		n := 1
		if slices.Contains(gitWithValue, words[0]) {
			n = 2
		}
		words = words[min(n, len(words)):]
	}
	if len(words) == 0 {
		return "", nil, nil
	}
	for i, word := range words[1:] {
		if word == "--" {
			return words[0], append(options, word), append(rest, words[i+2:]...)
		}
		if strings.HasPrefix(word, "-") && word != "-" {
			options = append(options, word)
		} else {
			rest = append(rest, word)
		}
	}
	return words[0], options, rest
}

// isOption reports whether a word is one of some options: a long one with a value or shortened as git takes it, a short
// one among others.
func isOption(word string, names []string) bool {
	name, _, _ := strings.Cut(word, "=")
	for _, n := range names {
		long := strings.HasPrefix(n, "--")
		switch {
		case name == n:
			return true
		case long && len(name) > 4 && strings.HasPrefix(n, name):
			return true
		case !long && isShortFlags(word) && strings.Contains(word, n[1:]):
			return true
		}
	}
	return false
}

// reading are words in the names of tools that change nothing, and changing those in the names of others.
var (
	reading  = lazy.Regexp(`(?i)(^|[_.\-]|\b)(read|get|list|ls|search|find|view|stat|cat|grep|glob|head|tail|tree|show|open)`)
	changing = lazy.Regexp(`(?i)write|edit|create|delete|remove|move|rename|copy|update|replace|append|put|save|patch|mkdir`)
)

// readsOnly reports whether a tool changes nothing, by its name.
func readsOnly(tool string) bool { return reading().MatchString(tool) && !changing().MatchString(tool) }

// ofCommands are names of arguments that hold commands or scripts, and no path.
var ofCommands = lazy.Regexp(`(?i)^(command|cmd|script|code|shell|bash|args|argv)$`)

// writers are programs whose words are files that they write to, make, or take away.
var writers = []string{
	"cp", "mv", "rm", "rmdir", "tee", "touch", "mkdir", "dd", "install", "ln", "chmod", "chown", "chgrp", "truncate",
	"rsync", "scp", "unlink", "shred", "mkfifo", "mknod", "patch", "unzip",
}

// writing are the commands that write to their words, and those with the option that lets them.
func writing(commands [][]string) (kept [][]string) {
	for _, words := range commands {
		name := programName(words[0])
		has := func(options ...string) bool {
			return slices.ContainsFunc(words[1:], func(w string) bool { return isOption(w, options) })
		}
		switch {
		case slices.Contains(writers, name),
			(name == "sed" || name == "perl") && has("-i", "--in-place"),
			(name == "curl" || name == "wget") && has("-o", "-O", "--output", "--output-document"),
			name == "tar" && (has("-x", "-C", "--extract", "--directory") || len(words) > 1 && strings.Contains(words[1], "x")),
			name == "find" && slices.Contains(words, "-delete"),
			name == "git" && len(words) > 1 && slices.Contains([]string{"clone", "init", "worktree"}, words[1]):
			kept = append(kept, words[1:])
		}
	}
	return kept
}
