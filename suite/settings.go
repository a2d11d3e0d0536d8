package suite

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
)

// AgentSettings returns what a suite says of the agent and of its tests, beside what it asks (see
// [Suite.Task]): a line for each setting, such as
//
//	agent.command: ["./agent","--model","small"]
//	agent.env.REGION: eu
//	agent.timeout: 1m0s
//	seed: 1
//	test.delta: 0.1
//	scenarios.refund.test.delta: 0.05
//
// Tests of scenarios are there where they differ from the suite's, and variants where they differ from
// the agent, as variants.small.agent.env.MODEL. The value of a variable that is
// redacted is hidden: a part of its digest shows that it changed. [Changed] compares such lines.
func (s *Suite) AgentSettings() []string {
	lines := s.Agent.Settings()
	lines = append(lines, setting("order", string(s.Order)), setting("seed", strconv.FormatUint(s.Seed, 10)))
	if s.Profile != "" {
		lines = append(lines, setting("profile", s.Profile))
	}
	if s.LaunchJitter > 0 {
		lines = append(lines, setting("launch_jitter", s.LaunchJitter.String()))
	}
	shared := s.Test.settings("test")
	lines = append(lines, shared...)
	lines = append(lines, s.Calibrate.settings()...)
	for _, c := range s.Scenarios {
		prefix := "scenarios." + plainOrQuoted(c.Name, isPlainName) + "."
		for _, line := range without(c.Test.settings("test"), shared) {
			lines = append(lines, prefix+line)
		}
		if c.Critical != (stratified.Floor{}) {
			lines = append(lines, setting(prefix+"critical", floorText(c.Critical)))
		}
		if c.Weight > 0 {
			lines = append(lines, setting(prefix+"weight", strconv.Itoa(c.Weight)))
		}
		if c.Trials > 0 {
			lines = append(lines, setting(prefix+"trials", strconv.Itoa(c.Trials)))
		}
	}
	for _, v := range s.Variants {
		for _, line := range without(v.Agent.Settings(), s.Agent.Settings()) {
			lines = append(lines, "variants."+plainOrQuoted(v.Name, isPlainName)+"."+line)
		}
	}
	return lines
}

// without are the lines that are not among others.
func without(lines, others []string) []string {
	return slices.DeleteFunc(lines, func(line string) bool { return slices.Contains(others, line) })
}

// Settings returns what is said of an agent, as [Suite.AgentSettings] does. What may change between
// a run and its continuation, as [Suite.Digest] has it, is not there.
func (a Agent) Settings() []string {
	hide := a.hider()
	text := func(value string) string { return plainOrQuoted(hide(value), isPlainValue) }
	var command []string
	for _, word := range a.Command {
		command = append(command, hide(word))
	}
	lines := []string{setting("agent.command", listed(command))}
	if a.HTTP != nil {
		lines = a.HTTP.settings(text)
	}
	if a.Model != nil {
		lines = a.Model.settings(text)
	}
	for _, name := range slices.Sorted(maps.Keys(a.Env)) {
		value := text(a.Env[name])
		if slices.Contains(a.Redact, name) {
			value = hidden(a.Env[name])
		}
		lines = append(lines, setting("agent.env."+name, value))
	}
	if a.EnvFile != "" {
		lines = append(lines, setting("agent.env_file", text(a.EnvFile)))
	}
	if a.EnvAllowGiven {
		lines = append(lines, setting("agent.env_allow", listed(a.EnvAllow)))
	}
	if a.Mode != ProcessMode {
		lines = append(lines, setting("agent.mode", string(a.Mode)))
	}
	if a.WorkingDir != "" {
		lines = append(lines, setting("agent.working_dir", text(a.WorkingDir)))
	}
	lines = append(lines, setting("agent.timeout", a.Timeout.String()), setting("agent.output", a.Output))
	if a.MetricsFile != "" {
		lines = append(lines, setting("agent.metrics_file", text(a.MetricsFile)))
	}
	if a.OutputFile != "" {
		lines = append(lines, setting("agent.output_file", text(a.OutputFile)))
	}
	lines = append(lines, setting("agent.max_output_bytes", strconv.FormatInt(a.MaxOutputBytes, 10)))
	if a.Infrastructure != nil {
		lines = append(lines, setting("agent.infrastructure", listed(a.Infrastructure)))
	}
	if a.Wire != nil {
		lines = append(lines, a.Wire.settings(text)...)
	}
	if a.Confine != nil {
		lines = append(lines, a.Confine.settings()...)
	}
	lines = append(lines, a.Config.settings(text)...)
	return lines
}

// settings are the parameters of a test.
func (t Test) settings(name string) (lines []string) {
	add := func(key, value string) { lines = append(lines, setting(name+"."+key, value)) }
	if t.Threshold != 0 {
		add("threshold", shortest(t.Threshold))
	}
	add("delta", shortest(t.Delta))
	add("alpha", shortest(t.Alpha))
	add("beta", shortest(t.Beta))
	if t.MaxTrials > 0 {
		add("max_trials", strconv.Itoa(t.MaxTrials))
	}
	if t.Window > 0 {
		add("window", t.Window.String())
	}
	add("design", t.Design.String())
	add("prior", plainOrQuoted(t.Prior.String(), isPlainValue))
	add("by", string(t.By))
	switch {
	case t.Pooled:
		add("collapse", "none")
	case t.Collapse != (stratified.Floor{}):
		add("collapse", floorText(t.Collapse))
	}
	if t.Against.Baseline != "" {
		add("baseline", plainOrQuoted(t.Against.Baseline, isPlainValue))
	}
	if t.Against.SideBySide {
		add("side_by_side", "true")
	}
	if t.Against.Matched {
		add("pairs", "matched")
	}
	if t.Against.Guard != 0 {
		add("guard", shortest(t.Against.Guard))
	}
	if t.Against.Discordant != 0 {
		add("discordant", shortest(t.Against.Discordant))
	}
	return lines
}

// floorText is such as "{from: 0.7, to: 0.3}".
func floorText(f stratified.Floor) string {
	return fmt.Sprintf("{from: %s, to: %s}", shortest(f.From), shortest(f.To))
}

// Changed compares settings of an earlier and a later agent, a line for each that differs:
//
//	agent.env.MODEL: small -> large
//	agent.env.REGION: (none) -> eu
//
// in the order of the earlier ones, with those that are new at the end. Long values are cut. It is
// empty where nothing changed. Lines that are no settings count as settings without a value.
func Changed(before, after []string) []string {
	changed := []string{}
	note := func(name, from, to string) {
		from, to = excerpts(from, to)
		changed = append(changed, fmt.Sprintf("%s: %s -> %s", name, from, to))
	}
	later, earlier := valuesOf(after), valuesOf(before)
	for _, line := range before {
		name, from := splitSetting(line)
		switch to, stays := later[name]; {
		case !stays:
			note(name, from, noValue)
		case from != to:
			note(name, from, to)
		}
	}
	for _, line := range after {
		name, to := splitSetting(line)
		if _, known := earlier[name]; !known {
			note(name, noValue, to)
		}
	}
	return changed
}

// noValue stands where one side does not have a setting.
const noValue = "(none)"

// valuesOf are the values of settings by their names.
func valuesOf(lines []string) map[string]string {
	values := make(map[string]string, len(lines))
	for _, line := range lines {
		name, value := splitSetting(line)
		values[name] = value
	}
	return values
}

// excerpts cuts two values that differ to what a line has room for. Where they are the same up to
// there, what is shown begins shortly before the first difference.
func excerpts(from, to string) (string, string) {
	const context = 20 // characters that are shown before the difference; chosen
	a, b := prose.Excerpt(from), prose.Excerpt(to)
	if a != b {
		return a, b
	}
	same := 0
	for same < len(from) && same < len(to) && from[same] == to[same] {
		same++
	}
	begin := max(0, same-context)
	for begin > 0 && !utf8.RuneStart(from[begin]) {
		begin--
	}
	return prose.Excerpt("..." + from[begin:]), prose.Excerpt("..." + to[begin:])
}

// setting is a line of a name and its value.
func setting(name, value string) string { return name + ": " + value }

// splitSetting is the reverse of setting. A colon within a quoted part of the name does not end it.
func splitSetting(line string) (name, value string) {
	for i := 0; i < len(line); i++ {
		if line[i] == '"' {
			if quoted, err := strconv.QuotedPrefix(line[i:]); err == nil {
				i += len(quoted) - 1
			}
			continue
		}
		if rest, found := strings.CutPrefix(line[i:], ": "); found {
			return line[:i], rest
		}
	}
	return line, ""
}

// listed writes a list of texts on one line, as JSON.
func listed[T ~string](list []T) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if len(list) == 0 || encoder.Encode(list) != nil {
		return "[]" // texts can always be written
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// plainOrQuoted writes a text as it is where that cannot be misread, and else in quotes.
func plainOrQuoted(text string, plain func(string) bool) string {
	if text != "" && plain(text) {
		return text
	}
	return strconv.Quote(text)
}

// isPlainValue reports whether a value can stand without quotes: on one line, without spaces at its
// ends, and like nothing that a line of a change has beside values.
func isPlainValue(text string) bool {
	return text == strings.TrimSpace(text) && text == prose.Printable(text) && text != noValue &&
		!strings.ContainsAny(text, `"`) && !strings.Contains(text, "->")
}

// isPlainName reports whether the name of a scenario can stand within the name of a setting.
func isPlainName(text string) bool { return isPlainValue(text) && !strings.ContainsAny(text, ":.") }

// hidden stands for a value that must not be seen, so that a change of it shows. Eight digits of the
// digest tell two values apart, and keep a short secret from being found by trying.
func hidden(value string) string {
	sum := sha256.Sum256([]byte(value))
	return "hidden, sha256:" + hex.EncodeToString(sum[:4])
}

// hider returns what removes the values of redacted variables from other settings, such as an
// argument that repeats a key.
func (a Agent) hider() func(string) string {
	var values, pairs []string
	for _, name := range a.Redact {
		// Values of one or two characters would be found everywhere, and keep nothing secret.
		if value := a.Env[name]; len(value) > 2 {
			values = append(values, value)
		}
	}
	// One that contains another is removed whole.
	slices.SortFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, value := range values {
		pairs = append(pairs, value, "["+hidden(value)+"]")
	}
	return strings.NewReplacer(pairs...).Replace
}
