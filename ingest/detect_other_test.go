package ingest

import (
	"fmt"
	"strings"
	"testing"
)

// JSON that is no recording is refused, and the message says what it is.
func TestOtherJSON(t *testing.T) {
	const unknown, data = "is JSON of no format known: ",
		"looks like a data set: it holds what is asked and what is expected"
	const training, http, cut = "looks like training data", "records HTTP exchanges", "cut off"
	large := strings.Repeat("1,", 100_000)
	for _, c := range []struct{ text, want string }{
		{`{}`, unknown + "its first object is empty"},
		{"{}\n{}\n", unknown + "its first object is empty"},
		{`[{}]`, unknown + "its first object is empty"},
		{`[]`, unknown + "it holds an empty array"},
		{"\ufeff [ ]\n", unknown + "it holds an empty array"},
		{`[[]]`, unknown + "it holds an array of arrays"},
		{`[1,2]`, unknown + "it holds numbers"},
		{`["a","b"]`, unknown + "it holds strings"},
		{`[null]`, unknown + "it holds null"},
		{`[true]`, unknown + "it holds true or false"},
		{`"pass"`, "is in no format known"},
		{`null`, "is in no format known"},
		{`5`, "is in no format known"},
		{`{"name":"x","version":"1.0.0","dependencies":{}}`,
			unknown + "its first object has the fields name, version, dependencies"},
		{`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}`, "the fields a, b, c, d, e, …"},
		{`{"type":"object","properties":{}}`, unknown},
		{`{"cells":[],"nbformat":4}`, unknown},
		{`{"a":[` + large + `1]}`, unknown + "its first object has the fields a"},
		{"{\n \"a\": [\n" + strings.Repeat("  1,\n", 50_000) + "  1\n ]\n}\n", unknown + "its first object has the fields a"},
		{`[{"a":[` + large + `1]}]`, unknown + "its first object has the fields a"},

		{`{"scenario":"a","expected":"x"}`, data},
		{`[{"scenario":"a","expected":"x"},{"scenario":"b","expected":"y"}]`, data},
		{`{"scenario":"a","input":"q","expected_output":"x"}`, data},
		{`{"Scenario":"a","Expected":"x"}`, data},
		{`{"question":"q","answer":"a"}`, data},
		{`{"input":"q","expected_output":"a"}`, data},
		{`{"inputs":{"q":1},"outputs":{"a":1}}`, data},
		{`{"input":[{"role":"user","content":"q"}],"ideal":"a"}`, data},
		{`{"input":"q","target":["a"],"id":3}`, data},
		{`{"task_id":"HumanEval/0","prompt":"p","entry_point":"f","canonical_solution":"s","test":"t"}`, data},
		{`{"instance_id":"a__b-1","problem_statement":"p","patch":"d","test_patch":"e"}`, data},
		{`{"task_id":"1","Question":"q","Level":1,"Final answer":"a"}`, data},
		{`{"name":"d","examples":[{"inputs":{"q":1},"outputs":{"a":1}}]}`, data},
		{`{"data":[{"question":"q","ground_truth":"a"}]}`, data},
		{`{"user_input":"q","reference":"a","reference_contexts":[]}`, data},

		{`{"instruction":"i","input":"","output":"o"}`, training},
		{`{"prompt":"p","completion":"c"}`, training},
		{`{"prompt":"p","chosen":"c","rejected":"r"}`, training},
		{`[{"conversations":[{"from":"human","value":"x"},{"from":"gpt","value":"y"}]}]`, training},

		{`{"interactions":[{"request":{"method":"GET","uri":"http://x"},"response":{}}],"version":1}`, http},
		{`{"http_interactions":[{"request":{"method":"get","uri":"http://x"}}],"recorded_with":"VCR 6.0.0"}`, http},
		{`{"log":{"version":"1.2","entries":[{"request":{"method":"GET","url":"http://x"}}]}}`, http},
		{`{"request":{"method":"POST","url":"/v1"},"response":{"status":200}}`, http},
		{"interactions:\n- request:\n    method: GET\n", http},
		{"---\nhttp_interactions:\n- request:\n    method: get\n", http},
		{"interactions:\r\n- request:\r\n    method: GET\r\n", http},

		{`{"schema":"tribunal/run/v1","verdict":"pass"}`, "is a saved result"},
		{`{"agent":{"command":["x"]},"scenarios":[{"name":"a"}]}`, "is a suite"},

		{`{`, cut},
		{`[`, cut},
		{`{"a`, cut},
		{`{"a"`, cut},
		{`{"a":`, cut},
		{`{"a":"xx`, cut},
		{`{"a":"x\`, cut},
		{`{"a":12`, cut},
		{`{"a":tr`, cut},
		{`{"a":1,`, cut},
		{`{"a":[1,{"b":`, cut},
		{`[{"a":1`, cut},
		{`{"a":"` + strings.Repeat("x", 200_000), cut},
		{`{"a":[` + large, cut},
		{`{"a":[` + large + `-`, cut},
		{`{"a":[` + large + `{"b`, cut},
		{"{\n \"a\": [\n" + strings.Repeat("  1,\n", 50_000), cut},
		{`[{"a":[` + large, cut},
	} {
		_, err := written(streamOf(c.text, unjudged))
		if err == nil {
			t.Errorf("%.60q is read", c.text)
		} else if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "scenario is missing") {
			t.Errorf("%.60q: %v\nwant %s", c.text, err, c.want)
		}
	}
}

// Records that say what was done are trials, whatever they expected; and a format that is named is believed.
func TestTrialsThatExpect(t *testing.T) {
	for _, c := range []struct {
		text string
		from Format
	}{
		{`{"scenario":"a","expected":"x","outcome":"pass"}`, Auto},
		{`{"scenario":"a","expected":"x","output":"x"}`, Auto},
		{`{"scenario":"a","expected":"x","score":1}`, Auto},
		{`{"scenario":"a","expected":"x","steps":[]}`, Auto},
		{`{"scenario":"a","expected":"x"}` + "\n" + `{"scenario":"a","trial":1,"outcome":"fail"}`, Auto},
		{`{"scenario":"a","expected":"x"}`, Trials},
		{`true`, Auto},
	} {
		o := unjudged
		o.From = c.from
		if _, err := written(streamOf(c.text, o)); err != nil {
			t.Errorf("%s as %v: %v", c.text, c.from, err)
		}
	}
}

// Messages alone are read, and the note says what they look like.
func TestChatTrainingData(t *testing.T) {
	ask, answer := `{"role":"user","content":"q"}`, `{"role":"assistant","content":"a"}`
	call := `{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"x"}`
	for text, want := range map[string]bool{
		fmt.Sprintf(`{"messages":[%s,%s]}`, ask, answer):                                                    true,
		fmt.Sprintf(`{"messages":[%s,%s],"tools":[]}`+"\n"+`{"messages":[%[1]s,%[1]s,%[2]s]}`, ask, answer): true,
		fmt.Sprintf(`{"messages":[%s,%s,%s]}`, ask, call, answer):                                           false,
		fmt.Sprintf(`{"model":"m","messages":[%s,%s]}`, ask, answer):                                        false,
		fmt.Sprintf(`{"messages":[%s]}`, ask):                                                               false,
		fmt.Sprintf(`[%s,%s]`, ask, answer):                                                                 false,
		fmt.Sprintf(`{"messages":[%s,%s]}`+"\n"+`{"messages":[%[1]s,%[2]s],"passed":true}`, ask, answer):    false,
	} {
		s := streamOf(text, unjudged)
		if _, err := written(s); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := strings.Contains(fmt.Sprint(s.Notes()[0]), "looks like training data"); got != want {
			t.Errorf("%s: %v, want %v: %v", text, got, want, s.Notes()[0])
		}
	}
}
