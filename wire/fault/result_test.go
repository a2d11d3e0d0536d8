package fault_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/quick"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/canary"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/fault"
)

// requests tell two results of look_up in each form, with %1 and %2 for them, and offer two tools.
var requests = map[string]string{
	"openai/chat": `{"model":"m", "messages":[{"role":"user","content":"q <1>"},
 {"role":"assistant","tool_calls":[{"id":"a","function":{"name":"look_up","arguments":"{}"}}]},
 {"role":"tool","tool_call_id":"a","content":%1},
 {"role":"assistant","tool_calls":[{"id":"b","function":{"name":"look_up","arguments":"{}"}}]},
 {"role":"tool","tool_call_id":"b","content":%2}], "temperature": 1.0,
 "tools":[{"type":"function","function":{"name":"look_up"}}, {"type":"function","function":{"name":"pay"}}], "tool_choice":"auto"}`,
	"openai/responses": `{"model":"m","input":[{"role":"user","content":"q"},
 {"type":"function_call","call_id":"a","name":"look_up","arguments":"{}"}, {"type":"function_call_output","call_id":"a","output":%1},
 {"type":"function_call","call_id":"b","name":"look_up","arguments":"{}"}, {"type":"function_call_output","call_id":"b","output":%2}],
 "tools":[{"type":"function","name":"look_up"},{"type":"function","name":"pay"}]}`,
	"anthropic/messages": `{"model":"m","messages":[{"role":"user","content":"q"},
 {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"look_up","input":{}},{"type":"tool_use","id":"b","name":"look_up","input":{}}]},
 {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":%1},{"type":"tool_result","tool_use_id":"b","content":%2}]}],
 "tools":[{"name":"look_up"},{"name":"pay"}]}`,
	"gemini/generateContent": `{"contents":[{"parts":[{"functionCall":{"name":"look_up","args":{}}}]},
 {"parts":[{"functionResponse":{"name":"look_up","response":{"output":%1}}},{"functionResponse":{"name":"look_up","response":{"output":%2}}}]}],
 "tools":[{"functionDeclarations":[{"name":"look_up"},{"name":"pay"}]}]}`,
	"ollama/chat": `{"model":"m","stream":false,"messages":[{"role":"tool","tool_name":"look_up","content":%1},{"role":"tool","tool_name":"look_up","content":%2}],
 "tools":[{"type":"function","function":{"name":"look_up"}},{"type":"function","function":{"name":"pay"}}]}`,
}

// telling is a request that tells two results.
func telling(dialect, first, second string) string {
	quoted := func(text string) string {
		out, _ := json.Marshal(text)
		return string(out)
	}
	return strings.NewReplacer("%1", quoted(first), "%2", quoted(second)).Replace(requests[dialect])
}

// TestResultsAreRewritten changes the second result of look_up and nothing else, each time that it is told.
func TestResultsAreRewritten(t *testing.T) {
	const first, second = "order 6 is here", "order 7 is on its way"
	for dialect := range requests {
		for kind, want := range map[string]string{
			"tool-empty": "", "tool-stale": first, "tool-malformed": `{"result": "order`,
			"tool-error":          "Error: the tool failed: internal server error (500)",
			"tool-timeout":        "Error: the tool did not answer within 60 seconds",
			"tool-denied":         "Error: access denied: the caller may not use this tool (403)",
			"huge-result:size=30": "order 7 is on its way\norder 7 ", // again and again
		} {
			m := newModel(t, says(`{}`))
			sign := ":"
			if strings.Contains(kind, ":") {
				sign = ","
			}
			route, _ := routed(t, m, 1, kind+sign+"at=2,tool=look_up")
			for range 2 { // a conversation tells it again
				ask(t, route, dialect, telling(dialect, first, second))
			}
			expected := telling(dialect, first, want)
			if kind == "tool-error" || kind == "tool-timeout" || kind == "tool-denied" {
				expected = telling(dialect, first, second)
				old := `"content":"` + second + `"}`
				switch dialect {
				case "anthropic/messages":
					expected = strings.Replace(expected, old, `"content":"`+want+`", "is_error": true}`, 1)
				case "gemini/generateContent":
					expected = strings.Replace(expected, `{"output":"`+second+`"}`, `{"error":"`+want+`"}`, 1)
				default:
					expected = telling(dialect, first, want)
				}
			}
			if diff := cmp.Diff([]string{expected, expected}, m.asked); diff != "" {
				t.Errorf("%s of %s:\n%s", kind, dialect, diff)
			}
			seen := route.Close()
			if got := names(seen, fault.Name); len(got) != 1 {
				t.Errorf("%s of %s: told as %v", kind, dialect, got)
			}
		}
	}
}

// TestResultOfAnotherTool tells the last result of another tool, and its own where no other has answered yet.
func TestResultOfAnotherTool(t *testing.T) {
	faults := fault.New([]fault.Fault{{Kind: fault.ToolSwapped, Tool: "pay"}}, 1)
	for i, step := range []struct{ tool, text, want string }{
		{"pay", "paid 1", "paid 1"}, {"look_up", "order 6", "order 6"}, {"pay", "paid 2", "order 6"},
		{"look_up", "order 7", "order 7"}, {"pay", "paid 3", "order 7"},
	} {
		r, kind := faults.Change(fault.Result{Tool: step.tool, CallID: strconv.Itoa(i), Text: step.text})
		if r.Text != step.want || (kind == fault.ToolSwapped) != (step.want != step.text) {
			t.Errorf("%d: %s answers %q (%s), want %q", i, step.tool, r.Text, kind, step.want)
		}
	}
}

// TestToolsAreRewritten removes a tool from what is offered, or gives it another name.
func TestToolsAreRewritten(t *testing.T) {
	for dialect, text := range requests {
		text = strings.NewReplacer("%1", `"x"`, "%2", `"y"`).Replace(text)
		for kind, change := range map[string]func(string) string{
			"tool-renamed:tool=pay,name=settle": func(s string) string {
				return strings.Replace(s, `"name":"pay"`, `"name":"settle"`, 1)
			},
			"tool-renamed": func(s string) string {
				at := strings.LastIndex(s, `"name":"look_up"`) // it was called before
				return s[:at] + `"name":"look_up_v2"` + s[at+len(`"name":"look_up"`):]
			},
			"tool-removed:tool=pay": func(s string) string {
				return regexp.MustCompile(`, ?\{("type":"function",("function":\{)?)?"name":"pay"\}?\}`).ReplaceAllStringFunc(s,
					func(string) string { return "" })
			},
		} {
			m := newModel(t, says(`{}`))
			route, _ := routed(t, m, 1, kind)
			ask(t, route, dialect, text)
			want := change(text)
			if kind == "tool-removed:tool=pay" && dialect == "gemini/generateContent" {
				want = strings.Replace(text, `,{"name":"pay"}`, "", 1)
			}
			if !json.Valid([]byte(m.asked[0])) || cmp.Diff(want, m.asked[0]) != "" {
				t.Errorf("%s of %s: %s", kind, dialect, cmp.Diff(want, m.asked[0]))
			}
		}
		m := newModel(t, says(`{}`))
		route, _ := routed(t, m, 1, "tool-removed", "tool-removed")
		ask(t, route, dialect, text)
		var left map[string]any
		if err := json.Unmarshal([]byte(m.asked[0]), &left); err != nil || left["tools"] != nil ||
			left["tool_choice"] != nil {
			t.Errorf("without tools, %s asks %s (%v)", dialect, m.asked[0], err)
		}
	}
}

// TestLiesAreWellFormed changes numbers and lets fields change places; what was JSON stays JSON of the same shape.
func TestLiesAreWellFormed(t *testing.T) {
	lie := func(text string, seed uint64) (string, fault.Kind) {
		r, kind := fault.New([]fault.Fault{{Kind: fault.ToolLie}}, seed).Change(fault.Result{Tool: "a", CallID: "1",
			Text: text})
		return r.Text, kind
	}
	for text, pattern := range map[string]string{
		"order 7 is on its way":                `^order [0-689] is on its way$`,
		"the invoice is paid":                  `^the invoice is unpaid$`,
		`{"from":"Rome","to":"Oslo","n":1200}`: `^\{"from":"Oslo","to":"Rome","n":(?:[02-9]200|1[013-9]00|12[1-9]0|120[1-9]|[2-9]200)\}$`,
		`[{"ok":true,"price":-1.5e3}]`:         `^\[\{"ok":false,"price":-(?:[02-9]\.5|1\.[0-46-9])e3\}\]$`,
		`{"id":"order 7"}`:                     `^\{"id":"order [0-689]"\}$`,
	} {
		for seed := range uint64(50) {
			got, kind := lie(text, seed)
			if kind != fault.ToolLie || !regexp.MustCompile(pattern).MatchString(got) {
				t.Errorf("%s becomes %s", text, got)
				break
			}
		}
	}
	if got, kind := lie("shipped", 1); kind != "" || got != "shipped" {
		t.Errorf("a lie without anything to change: %q of %q", got, kind)
	}
	same := func(number int64, text string, yes bool, seed uint64) bool {
		body, _ := json.Marshal(map[string]any{"n": number, "s": []any{text, yes, map[string]any{"x": text}}, "z": nil})
		got, _ := lie(string(body), seed)
		return json.Valid([]byte(got)) && got != string(body)
	}
	if err := quick.Check(same, nil); err != nil {
		t.Error(err)
	}
}

// TestInjectedCanary stands in what goes up, and is the attempt's own.
func TestInjectedCanary(t *testing.T) {
	for dialect := range requests {
		m := newModel(t, says(`{}`))
		route, act := routed(t, m, 3, "tool-injection:payload=direct,place=comment,times=1")
		ask(t, route, dialect, telling(dialect, "one", "two"))
		if canary.Find(m.asked[0]) != act.Canary() || strings.Count(m.asked[0], "CANARY") != 1 ||
			act.Canary() != canary.Of(3) {
			t.Errorf("%s: %s", dialect, m.asked[0])
		}
		seen := route.Close()
		want := wire.Event{Act: "fault", Name: "tool-injection", Request: 1, Detail: "result of look_up: direct as comment"}
		if diff := cmp.Diff([]wire.Event{want}, seen.Events); diff != "" {
			t.Error(diff)
		}
	}
}

// TestClientsAreJudged notes what a client does after a fault, and should not do.
func TestClientsAreJudged(t *testing.T) {
	const call = `{"choices":[{"message":{"tool_calls":[{"id":"c","function":{"name":"look_up","arguments":"{\"id\": 7}"}}]},"finish_reason":"tool_calls"}]}`
	told := func(result string) string {
		return `{"model":"m","messages":[{"role":"tool","tool_call_id":"c","content":"` + result + `"}]}`
	}
	refusing := func(w http.ResponseWriter, _ string) { w.WriteHeader(401) }
	for name, c := range map[string]struct {
		fault  string
		answer func(http.ResponseWriter, string)
		asked  []string
		want   []string
	}{
		"sooner than told": {"rate-limit:at=1,retry_after=1m", says(call), []string{`{"model":"m"}`, `{"model":"m"}`},
			[]string{fault.IgnoredRetryAfter}},
		"the same again": {"context-overflow:at=1", says(call), []string{`{"model":"m"}`, `{"model":"m"}`},
			[]string{fault.RetriedRefused}},
		"a shorter one": {"context-overflow:at=1", says(call), []string{`{"model":"m"}`, `{"model":"n"}`}, nil},
		"without a key": {"slow:latency=1ms", refusing, []string{`{"model":"m"}`, `{"model":"m"}`},
			[]string{fault.RetriedRefused}},
		"half of a call": {"truncated:at=1", says(call), []string{`{"model":"m"}`, told("on its way")},
			[]string{fault.TrustedCut}},
		"told as it is": {"truncated:at=1", says(call),
			[]string{`{"model":"m"}`, told("Error: the arguments do not parse")}, nil},
		"what does not parse": {"malformed-json:at=1", says(call), []string{`{"model":"m"}`, told("on its way")},
			[]string{fault.TrustedCut}},
		"asked again": {"truncated:at=1", says(call), []string{`{"model":"m"}`, `{"model":"m"}`, told("on its way")},
			nil},
		"after an error": {"server-error:at=1", says(call), []string{`{"model":"m"}`, `{"model":"m"}`}, nil},
	} {
		route, _ := routed(t, newModel(t, c.answer), 1, c.fault)
		for _, body := range c.asked {
			ask(t, route, "openai/chat", body)
		}
		seen := route.Close()
		if diff := cmp.Diff(c.want, names(seen, fault.Client)); diff != "" {
			t.Errorf("%s: %s\n%+v", name, diff, seen.Events)
		}
	}
}
