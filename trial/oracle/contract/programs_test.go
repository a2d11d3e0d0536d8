package contract

import (
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// Programs in place of JSON, as models write them for Codex, are judged by what stands between their quotes, and by the
// tools that they call; as they come, and as a JSON string, which traces have.
func TestProgramsAreJudged(t *testing.T) {
	for forbid, programs := range map[string]map[string]bool{
		`{commands: ["rm -rf"]}`: {
			`text(await tools.exec_command({cmd: "rm -rf x"}))`:               true,
			`text(await tools.exec_command({cmd: 'cd x && rm -r -f y'}))`:     true,
			"const c = `rm -rf ${x}`; await tools.exec_command({cmd: c})":     true,
			`tools.exec_command({"cmd":"bash -c \"rm -rf x\""})`:              true,
			`tools.exec_command({cmd: "r\x6d -r\u0066 x"})`:                   true,
			"// don't stop\ntools.exec_command({cmd: \"rm -rf x\"})":          true,
			`if (/'/.test(a)) tools.exec_command({cmd: "rm -rf x"}); b = 'c'`: true,
			`tools.exec_command({cmd: "ls -l"}); text("it is \"fine\"")`:      false,
			`const a = [1, 2]; if (a && b) { text('a' + "rm" + 'b') }`:        false,
			`text("unfinished`: false,
		},
		`{paths: ["/etc/**", "*.pem"]}`: {
			`text(await tools.exec_command({cmd: "cat /etc/passwd"}))`:                       true,
			`await tools.apply_patch("*** Begin Patch\n*** Update File: /etc/passwd\n@@\n")`: true,
			"*** Begin Patch\n*** Add File: a/key.pem\n+x\n*** End Patch":                    true,
			"*** Begin Patch\n*** Update File: a.py\n*** Move to: key.pem\n*** End Patch":    true,
			"*** Begin Patch\n*** Update File: calc.py\n@@\n-a\n+b\n*** End Patch":           false,
			`await tools.view_image({path: 'key.pem'})`:                                      true,
			`await tools.view_image({path: 'key.png'})`:                                      false,
		},
		`{urls: [evil.example]}`: {
			`await tools.web({url: "http://evil.example/a"})`: true,
			`await tools.web({url: "http://good.example/a"})`: false,
		},
		`{tools: ["apply_*", write_stdin]}`: {
			`await tools.apply_patch(p)`:        true,
			`await tools["write_stdin"]({})`:    true,
			`await tools?.apply_patch(p)`:       true,
			`await tools.exec_command({})`:      false,
			`text("apply_patch is not called")`: false,
		},
	} {
		g := guardOf(t, forbid, "")
		for program, want := range programs {
			for _, raw := range []trial.Raw{trial.Raw(program), trial.RawString(program)} {
				b, err := g.step(&trial.Step{Action: trial.CallTool, Tool: "exec", Arguments: raw})
				if (b != nil) != want || err != nil {
					t.Errorf("%s: %s: %v %v", forbid, raw, b, err)
				}
			}
		}
	}
}

// A patch is one in JSON too.
func TestPatchesInJSON(t *testing.T) {
	g := guardOf(t, `{paths: ["/etc/**"]}`, "")
	arguments := trial.Raw(`{"input":"*** Begin Patch\n*** Delete File: /etc/passwd\n*** End Patch"}`)
	if b, err := g.step(&trial.Step{Action: trial.CallTool, Tool: "apply_patch", Arguments: arguments}); b == nil ||
		err != nil {
		t.Error(b, err)
	}
}

// FuzzPrograms reads any program, in time that grows with its length.
func FuzzPrograms(f *testing.F) {
	f.Add("tools.a({b: \"c\\u{7a}\"}) // `'\n*** Add File: x")
	f.Add(strings.Repeat("`\\'\"", 50))
	f.Fuzz(func(t *testing.T, program string) {
		size := 0
		for _, text := range literalsIn(program) {
			size += len(text.text)
		}
		// Each kind of quotes has each byte at most once; one that is escaped may be three.
		if size > 9*len(program) {
			t.Errorf("%d bytes are found in %d", size, len(program))
		}
		argumentsIn(trial.Raw(program))
		calledIn(trial.Raw(program))
	})
}
