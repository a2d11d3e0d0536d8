package prose

import "testing"

// The forms are those of the documentation of Azure Pipelines (##vso[area.action]value, ##[group]), of the
// runner of GitHub (##[command]) and of TeamCity (##teamcity[message]).
func TestBreakCommands(t *testing.T) {
	for text, want := range map[string]string{
		"##vso[task.setvariable variable=PATH]x": `#\x23vso[task.setvariable variable=PATH]x`,
		"##VSO[task.x]":                          `#\x23VSO[task.x]`,
		"a ##[error]b":                           `a #\x23[error]b`,
		"##teamcity[buildStatus]":                `#\x23teamcity[buildStatus]`,
		"###[x] ####vso[y]":                      `##\x23[x] ###\x23vso[y]`,
		"## Heading":                             "## Heading",
		"#[x] ##":                                "#[x] ##", "##vso": "##vso", "##1[": "##1[", "": "",
	} {
		if got := BreakCommands(text, `\x23`); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
		if got := Printable(text); got != want {
			t.Errorf("%q is printed as %q, want %q", text, got, want)
		}
	}
}
