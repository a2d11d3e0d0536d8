package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/fault"
	"github.com/tribunal-dev/tribunal/wire/guard"
	"github.com/tribunal-dev/tribunal/wire/mcp"
)

// order is what the tool look_up tells, also as structured content.
type order struct {
	ID    int    `json:"id"`
	State string `json:"state"`
	Town  string `json:"town"`
}

// shop is a server by the official SDK.
func shop() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "shop", Version: "1"}, nil)
	text := func(format string, arguments ...any) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf(format, arguments...)}}}
	}
	sdk.AddTool(s, &sdk.Tool{Name: "look_up"}, func(_ context.Context, _ *sdk.CallToolRequest, in struct {
		ID int `json:"id"`
	}) (*sdk.CallToolResult, order, error) {
		return nil, order{in.ID, "sent", "Bonn"}, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "weigh"}, func(_ context.Context, _ *sdk.CallToolRequest, in struct {
		ID int `json:"id"`
	}) (*sdk.CallToolResult, any, error) {
		return text("order %d weighs 12 kg", in.ID), nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "picture"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult,
		any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.ImageContent{Data: []byte("png"), MIMEType: "image/png"}}},
			nil, nil
	})
	return s
}

// shopProgram becomes the server, where this program is started as one.
func shopProgram() {
	if os.Getenv("MCP_SHOP") != "" {
		_ = shop().Run(context.Background(), &sdk.StdioTransport{}) // until its input ends
		os.Exit(0)
	}
}

// shops are the ways to a server: a program, and a URL whose answers are streams of events, or messages.
func shops(t *testing.T) map[string]mcp.Server {
	t.Helper()
	all := map[string]mcp.Server{"program": {Command: []string{os.Args[0]}, Env: map[string]string{"MCP_SHOP": "1"}}}
	for name, o := range map[string]*sdk.StreamableHTTPOptions{"events": nil, "messages": {JSONResponse: true}} {
		server := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return shop() }, o))
		t.Cleanup(server.Close)
		all[name] = mcp.Server{URL: server.URL}
	}
	return all
}

// client connects a client by the official SDK to a server of a configuration.
func client(t *testing.T, config []byte) *sdk.ClientSession {
	t.Helper()
	var read struct {
		MCPServers map[string]struct {
			Command, URL string
			Args         []string
			Env          map[string]string
		}
	}
	if err := json.Unmarshal(config, &read); err != nil {
		t.Fatal(err)
	}
	entry := read.MCPServers["shop"]
	var transport sdk.Transport = &sdk.StreamableClientTransport{Endpoint: entry.URL}
	if entry.URL == "" {
		command := exec.Command(entry.Command, entry.Args...)
		command.Env, command.Stderr = os.Environ(), os.Stderr
		for name, value := range entry.Env {
			command.Env = append(command.Env, name+"="+value)
		}
		transport = &sdk.CommandTransport{Command: command}
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(), transport,
		nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// told is what a client has of a call.
func told(
	t *testing.T, c *sdk.ClientSession, tool string, arguments map[string]any,
) (text string, structured any, failed bool) {
	t.Helper()
	result, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return err.Error(), nil, true
	}
	for _, part := range result.Content {
		if said, is := part.(*sdk.TextContent); is {
			text += said.Text
		} else {
			text += fmt.Sprintf("(%T)", part)
		}
	}
	return text, result.StructuredContent, result.IsError
}

// names are the tools that a client is offered, sorted.
func names(t *testing.T, c *sdk.ClientSession) (all []string) {
	t.Helper()
	for tool, err := range c.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, tool.Name)
	}
	slices.Sort(all)
	return all
}

// TestFaultsOfResults lets faults change what tools come to on the way from real servers to a real client, which reads
// it; the trace has the tool's own result, and says what was done.
func TestFaultsOfResults(t *testing.T) {
	const weighs, sent = "order 7 weighs 12 kg", `{"id":7,"state":"sent","town":"Bonn"}`
	for _, c := range []struct {
		fault  string
		tool   string
		own    string
		text   func(string) bool
		failed bool
		keeps  bool // there is structured content, which says the same as the text
	}{
		{"tool-error", "weigh", weighs, func(s string) bool { return strings.HasPrefix(s, "Error: the tool failed") }, true,
			false},
		{"tool-error", "look_up", sent, func(s string) bool { return strings.HasPrefix(s, "Error: the tool failed") }, true,
			false},
		{"tool-error", "picture", "", func(s string) bool { return strings.HasPrefix(s, "Error: the tool failed") }, true,
			false},
		{"tool-timeout", "weigh", weighs, func(s string) bool { return strings.Contains(s, "did not answer") }, true, false},
		{"tool-empty", "weigh", weighs, func(s string) bool { return s == "" }, false, false},
		{"tool-empty", "look_up", sent, func(s string) bool { return s == "" }, false, false},
		{"tool-malformed", "look_up", sent, func(s string) bool {
			return !json.Valid([]byte(s)) && strings.HasPrefix(sent, s)
		}, false, false},
		{"tool-lie", "weigh", weighs, func(s string) bool {
			return s != weighs && strings.HasPrefix(s, "order ") && strings.HasSuffix(s, " kg")
		}, false, false},
		{"tool-lie", "look_up", sent, func(s string) bool { return s != sent && json.Valid([]byte(s)) }, false, true},
		{"tool-lie:tool=mcp__shop__look_up", "look_up", sent,
			func(s string) bool { return s != sent && json.Valid([]byte(s)) }, false, true},
		{"tool-injection:place=suffix", "weigh", weighs, func(s string) bool {
			return strings.HasPrefix(s, weighs) && strings.Contains(s, "CANARY-")
		}, false, false},
		{"tool-injection", "look_up", sent, func(s string) bool { return json.Valid([]byte(s)) && len(s) > len(sent) }, false,
			true},
		{"tool-injection", "picture", "", func(s string) bool {
			return strings.HasSuffix(s, "(*mcp.ImageContent)") && len(s) > 40
		}, false, false},
		{"huge-result", "weigh", weighs, func(s string) bool { return len(s) > 399_000 && strings.HasPrefix(s, weighs) },
			false, false},
		{"tool-lie:tool=other", "weigh", weighs, func(s string) bool { return s == weighs }, false, false},
	} {
		for way, server := range shops(t) {
			one, err := fault.Parse(c.fault)
			if err != nil {
				t.Fatal(err)
			}
			route := open(t, fault.New([]fault.Fault{one}, 1))
			session := client(t, wired(t, route, map[string]mcp.Server{"shop": server}))
			text, structured, failed := told(t, session, c.tool, map[string]any{"id": 7})
			if c.tool == "picture" {
				text, structured, failed = told(t, session, c.tool, nil)
			}
			if !c.text(text) || failed != c.failed || (structured != nil) != c.keeps {
				t.Errorf("%s of %s by %s: %.80q, %v, %t", c.fault, c.tool, way, text, structured, failed)
			}
			if c.keeps {
				var same any
				if err := json.Unmarshal([]byte(text), &same); err != nil || cmp.Diff(same, structured) != "" {
					t.Errorf("%s of %s by %s: the text %s and the structured content %v differ", c.fault, c.tool, way, text,
						structured)
				}
			}
			seen := route.Close()
			if one.Tool == "other" {
				if len(seen.Events) > 0 || seen.Void == "" {
					t.Errorf("%s by %s: %v, %q", c.fault, way, seen.Events, seen.Void)
				}
				continue
			}
			step := seen.Steps()[len(seen.Steps())-1]
			if c.own != "" && step.Output.Text() != c.own {
				t.Errorf("%s of %s by %s: the step has %s", c.fault, c.tool, way, step.Output)
			}
			if events := step.Events(); !slices.Contains(events, "fault: "+string(one.Kind)) || seen.Void != "" {
				t.Errorf("%s of %s by %s: the step tells of %v", c.fault, c.tool, way, events)
			}
		}
	}
}

// TestStaleResults checks that an earlier result comes again, and that occasions are counted by tool.
func TestStaleResults(t *testing.T) {
	for way, server := range shops(t) {
		faults := []fault.Fault{{Kind: fault.ToolStale}, {Kind: fault.ToolError, Tool: "weigh", At: 3}}
		route := open(t, fault.New(faults, 1))
		session := client(t, wired(t, route, map[string]mcp.Server{"shop": server}))
		var all []string
		for _, id := range []int{7, 8, 8} {
			text, _, failed := told(t, session, "weigh", map[string]any{"id": id})
			all = append(all, fmt.Sprint(text, " ", failed))
		}
		want := []string{"order 7 weighs 12 kg false", "order 7 weighs 12 kg false", "order 7 weighs 12 kg false"}
		if diff := cmp.Diff(want, all); diff != "" {
			t.Errorf("%s: %s", way, diff)
		}
		route.Close()
	}
}

// TestFaultsOfLists removes and renames what real servers offer: what was removed, or has another name, is not found by
// its own, and under its new name it is what it was. Without a fault each byte is the server's.
func TestFaultsOfLists(t *testing.T) {
	for way, server := range shops(t) {
		servers := map[string]mcp.Server{"shop": server}
		faults := []fault.Fault{{Kind: fault.ToolRemoved, Tool: "weigh"},
			{Kind: fault.ToolRenamed, Tool: "look_up", Name: "find"}}
		route := open(t, fault.New(faults, 1))
		session := client(t, wired(t, route, servers))
		if text, _, failed := told(t, session, "look_up", map[string]any{"id": 7}); failed {
			t.Errorf("%s: before the list the tool says %s", way, text)
		}
		if diff := cmp.Diff([]string{"find", "picture"}, names(t, session)); diff != "" {
			t.Errorf("%s: %s", way, diff)
		}
		for tool, want := range map[string]string{"weigh": "Tool weigh not found", "look_up": "Tool look_up not found"} {
			if text, _, failed := told(t, session, tool, map[string]any{"id": 7}); !failed || text != want {
				t.Errorf("%s: %s says %q", way, tool, text)
			}
		}
		if text, _, failed := told(t, session, "find", map[string]any{"id": 7}); failed ||
			!strings.Contains(text, `"sent"`) {
			t.Errorf("%s: under its new name the tool says %s", way, text)
		}
		seen := route.Close()
		if seen.Void != "" || len(seen.Events) != 2 || len(seen.Tools) != 2 {
			t.Errorf("%s: %q, %v, %d calls", way, seen.Void, seen.Events, len(seen.Tools))
		}
		// Once alone, the list is the server's again, and so is the name.
		route = open(t, fault.New([]fault.Fault{{Kind: fault.ToolRemoved, Tool: "weigh", At: 1}}, 1))
		session = client(t, wired(t, route, servers))
		if got := names(t, session); slices.Contains(got, "weigh") {
			t.Errorf("%s: the first list is %v", way, got)
		}
		if diff := cmp.Diff([]string{"look_up", "picture", "weigh"}, names(t, session)); diff != "" {
			t.Errorf("%s: %s", way, diff)
		}
		if text, _, failed := told(t, session, "weigh", map[string]any{"id": 7}); failed {
			t.Errorf("%s: the tool that is there again says %s", way, text)
		}
		route.Close()
	}
}

// TestRenamedToolsAreGuarded checks that a guard knows a tool by the server's own name.
func TestRenamedToolsAreGuarded(t *testing.T) {
	c, err := contract.Parse("c.yaml",
		[]byte("{version: 1, name: c, clauses: [{name: kept, kind: guardrail, forbid: {tools: [weigh]}}]}"))
	if err != nil {
		t.Fatal(err)
	}
	faults := fault.New([]fault.Fault{{Kind: fault.ToolRenamed, Tool: "weigh"}}, 1)
	route := open(t, guard.New(contract.Before(nil, c), guard.Deny), faults)
	session := client(t, wired(t, route, map[string]mcp.Server{"shop": shops(t)["program"]}))
	if !slices.Contains(names(t, session), "weigh_v2") {
		t.Error("the tool is not renamed")
	}
	if text, _, failed := told(t, session, "weigh_v2", map[string]any{"id": 7}); !failed ||
		!strings.Contains(text, "denied by the guardrail kept") {
		t.Errorf("it says %q", text)
	}
}

// TestResultsAreBrokenOnce checks that what was decided on a result of a server is not decided on again when the agent
// tells its model of it, and that results of other tools are.
func TestResultsAreBrokenOnce(t *testing.T) {
	var asked []string
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Messages []struct{ Role, Content string }
			Tools    []any
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		for _, m := range body.Messages {
			if m.Role == "tool" {
				asked = append(asked, m.Content)
			}
		}
		asked = append(asked, fmt.Sprint(len(body.Tools)))
		fmt.Fprint(w, `{"choices":[{"message":{"content":"x"}}]}`)
	}))
	defer model.Close()
	upstreams, err := wire.UpstreamsOf(map[wire.Provider]string{wire.OpenAI: model.URL}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := wire.Open(wire.Options{Upstreams: upstreams})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	faults := []fault.Fault{{Kind: fault.ToolError, At: 1, Times: 2}, {Kind: fault.ToolRemoved}}
	route := w.Route(wire.Limits{}, fault.New(faults, 1))
	session := client(t, wired(t, route, map[string]mcp.Server{"shop": shops(t)["program"]}))
	offered := names(t, session)
	text, _, failed := told(t, session, "weigh", map[string]any{"id": 7})
	if !failed || len(offered) != 2 {
		t.Errorf("the first result is %s, and offered are %v", text, offered)
	}
	call := func(id, name string) string {
		return fmt.Sprintf(`{"role":"assistant","tool_calls":[{"id":"%s","function":{"name":"%s","arguments":"{}"}}]}`, id,
			name)
	}
	body := fmt.Sprintf(`{"messages":[%s,{"role":"tool","tool_call_id":"a","content":%q},%s,{"role":"tool","tool_call_id":"b","content":"own"}],`+
		`"tools":[{"function":{"name":"shop_weigh"}},{"function":{"name":"shop_picture"}}]}`,
		call("a", "shop_weigh"), text, call("b", "own"))
	answer, err := http.Post(route.Root()+"/openai/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	want := []string{text, "Error: the tool failed: internal server error (500)", "2"}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("the model is told: %s", diff)
	}
	if seen := route.Close(); len(seen.Events) != 3 {
		t.Errorf("%v", seen.Events)
	}
}
