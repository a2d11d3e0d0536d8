package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tribunal-dev/tribunal/cmd/internal/looks"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/verdict"
)

// The inputs of the tools. What their fields are, for agents, is in the tags. A field without one is the option of its
// name, and the table of options says what it is.
type (
	checkInput struct {
		Suite string `json:"suite,omitempty" jsonschema:"suite file or folder; default tribunal.yaml of the server's folder"`
	}
	planInput struct {
		Threshold float64 `json:"threshold,omitempty" jsonschema:"least pass rate that is good enough, as 0.9; or give baseline"`
		Baseline  string  `json:"baseline,omitempty" jsonschema:"recording or result to plan a test against, in place of threshold"`
		Delta     float64 `json:"delta,omitempty"`
		Price     float64 `json:"price,omitempty"`
	}
	verdictInput struct {
		Recording string  `json:"recording" jsonschema:"file or folder of recorded trials: JSON lines, CSV, JUnit XML, agents' logs"`
		Threshold float64 `json:"threshold" jsonschema:"least pass rate that is good enough, as 0.9"`
		Variant   string  `json:"variant,omitempty"`
		Each      bool    `json:"each,omitempty" jsonschema:"every scenario must reach the threshold, not only all together"`
		Growing   bool    `json:"growing,omitempty" jsonschema:"the recording will grow: all analyses of it count as one"`
	}
	compareInput struct {
		Baseline         string  `json:"baseline" jsonschema:"recording, or saved result of a run, of what is there"`
		Candidate        string  `json:"candidate" jsonschema:"recording, or saved result of a run, of what is new"`
		Delta            float64 `json:"delta,omitempty"`
		BaselineVariant  string  `json:"baseline_variant,omitempty"`
		CandidateVariant string  `json:"candidate_variant,omitempty"`
		Growing          bool    `json:"growing,omitempty" jsonschema:"the recordings will grow: all analyses of them count as one"`
	}
	gateInput struct {
		Results     string  `json:"results" jsonschema:"saved result of a run, as .tribunal/NAME.result.json"`
		Suite       string  `json:"suite,omitempty" jsonschema:"suite file or folder; default tribunal.yaml of the server's folder"`
		Baseline    string  `json:"baseline,omitempty" jsonschema:"saved result to compare with; default that of the suite"`
		MinPassRate float64 `json:"min_pass_rate,omitempty"`
	}
	explainInput struct {
		Result string `json:"result,omitempty" jsonschema:"saved result to show with its statistics"`
		Code   string `json:"code,omitempty" jsonschema:"code of a reason or warning, as few-scenarios"`
		Method string `json:"method,omitempty" jsonschema:"words of a heading of the methods page, as against a baseline"`
	}
	runInput struct {
		Suite   string   `json:"suite,omitempty" jsonschema:"suite file or folder; default tribunal.yaml of the server's folder"`
		Only    []string `json:"only,omitempty" jsonschema:"only scenarios whose name matches one of these globs"`
		MaxCost float64  `json:"max_cost,omitempty" jsonschema:"USD that this run may spend at most, within what the person allows"`
		Resume  bool     `json:"resume,omitempty" jsonschema:"continue the last run, which was stopped, in place of a new one"`
	}
	ratchetInput struct {
		Suite      string  `json:"suite,omitempty" jsonschema:"suite file or folder; default tribunal.yaml of the server's folder"`
		Challenger string  `json:"challenger" jsonschema:"variant of the suite that may replace the current version"`
		Champion   string  `json:"champion,omitempty" jsonschema:"variant that is the current version; default the suite's agent"`
		MaxCost    float64 `json:"max_cost,omitempty" jsonschema:"USD that this may spend at most, within what the person allows"`
	}
)

// bounds are those of numbers, by the name of the property.
var bounds = map[string]func(*jsonschema.Schema){
	"threshold": rate, "delta": rate, "min_pass_rate": rate, "price": amount, "max_cost": amount,
}

func rate(s *jsonschema.Schema) {
	s.ExclusiveMinimum, s.ExclusiveMaximum = jsonschema.Ptr(0.0), jsonschema.Ptr(1.0)
}

func amount(s *jsonschema.Schema) {
	s.ExclusiveMinimum, s.Maximum = jsonschema.Ptr(0.0), jsonschema.Ptr(1e6)
}

// mostWordBytes bounds names in requests.
const mostWordBytes = 4096

// addTool adds a tool whose input is checked by a schema that follows from its type.
func addTool[In any](s *Server, name, description string, act func(context.Context, *mcp.CallToolRequest, In) (
	*mcp.CallToolResult, any, error)) {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(err) // of the types above
	}
	for property, part := range schema.Properties {
		if part.Description == "" {
			part.Description = s.Describe(name, strings.ReplaceAll(property, "_", "-"))
		}
		if bound := bounds[property]; bound != nil {
			bound(part)
		}
		if part.Type == "string" {
			part.MaxLength = jsonschema.Ptr(mostWordBytes)
		}
	}
	s.arguments[name] = takes{slices.Sorted(maps.Keys(schema.Properties)), schema.Required}
	tool := &mcp.Tool{
		Name: name, Description: description, InputSchema: schema,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: !starts(name), OpenWorldHint: jsonschema.Ptr(starts(name))},
	}
	mcp.AddTool(s.server, tool, act)
}

// The tools that start programs.
const (
	runTool     = "run"
	ratchetTool = "ratchet_try"
)

// starts reports whether a tool starts programs.
func starts(tool string) bool { return tool == runTool || tool == ratchetTool }

// addTools adds one tool for each question, and that of a run where a person allows it.
func (s *Server) addTools() {
	addTool(s, "check", "Validate a suite (tribunal.yaml) without running it: its tests, exact errors, trials and cost "+
		"that a run takes. Use after editing a suite, before a run.", s.check)
	addTool(s, "plan", "How many trials a test takes, and how often it errs. Use before making trials.", s.plan)
	addTool(s, "verdict", "Is the pass rate of recorded trials good enough? PASS, FAIL or INCONCLUSIVE against a "+
		"threshold. Every new analysis is counted and judged more strictly.", s.verdict)
	addTool(s, "compare", "Did a candidate get worse than a baseline? PASS (not worse by delta), FAIL (worse) or "+
		"INCONCLUSIVE, from two recordings or results. Every new analysis is counted and judged more strictly.", s.compare)
	addTool(s, "gate", "May this be deployed? DEPLOY, BLOCK or REVIEW (by a person), from a saved result of a run and "+
		"all rules of its suite. Runs nothing.", s.gate)
	addTool(s, "explain", "Explain one thing: a saved result with its statistics, a code of a reason or warning, or a "+
		"method.",
		s.explain)
	if s.AllowRun {
		addTool(s, runTool, "Run the agent of a suite, trial by trial, until each test decides. Starts programs, takes "+
			"minutes and spends money within the server's budget.", s.run)
		addTool(s, ratchetTool, "Is a candidate better than the current version? PASS keep, FAIL revert, INCONCLUSIVE "+
			"undecided, "+
			"by pairs of trials. Every try of the session has a smaller level. Starts programs and spends money.", s.ratchetTry)
	}
}

// calls runs a command within the folder.
func (s *Server) calls(ctx context.Context, look *lookRequest, arguments ...string) Reply {
	return s.command(ctx, look, Call{Arguments: arguments})
}

func (s *Server) command(ctx context.Context, look *lookRequest, c Call) Reply {
	c.Spend = look.spend
	return s.Command(s.folder.within(ctx), c)
}

// looking begins to count a look; asked are the words that say how it is judged.
func (s *Server) looking(command string, asked ...string) *lookRequest {
	return &lookRequest{server: s, command: command, asked: looks.Digest(append([]string{command}, asked...)...) + " "}
}

// flag is a flag with a number, and nothing for 0.
func flag(name string, x float64) []string {
	if x == 0 {
		return nil
	}
	return []string{"--" + name + "=" + strconv.FormatFloat(x, 'g', -1, 64)}
}

// word is a flag with a word, and nothing for "".
func word(name, text string) []string {
	if text == "" {
		return nil
	}
	return []string{"--" + name + "=" + text}
}

// join joins lists of arguments.
func join(lists ...[]string) (all []string) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

func (s *Server) check(ctx context.Context, _ *mcp.CallToolRequest, in checkInput) (*mcp.CallToolResult, any, error) {
	file, err := s.folder.suite(in.Suite)
	if err != nil {
		return nil, nil, err
	}
	look := s.looking("check")
	return s.answer(ctx, s.calls(ctx, look, "check", "--json", "--", file), look, false)
}

func (s *Server) plan(ctx context.Context, _ *mcp.CallToolRequest, in planInput) (*mcp.CallToolResult, any, error) {
	if (in.Threshold == 0) == (in.Baseline == "") {
		return nil, nil, errors.New("give either threshold or baseline")
	}
	var baseline string
	if in.Baseline != "" {
		file, err := s.folder.file(in.Baseline)
		if err != nil {
			return nil, nil, err
		}
		baseline = file
	}
	arguments := join([]string{"plan", "--json"}, flag("threshold", in.Threshold), flag("delta", in.Delta),
		flag("price", in.Price),
		word("baseline", baseline))
	look := s.looking("plan")
	return s.answer(ctx, s.calls(ctx, look, arguments...), look, false)
}

// A test that is exact keeps its errors at any level, and later looks have small ones.
const exactInterval = "--interval=clopper-pearson"

func (s *Server) verdict(
	ctx context.Context, _ *mcp.CallToolRequest, in verdictInput,
) (*mcp.CallToolResult, any, error) {
	file, err := s.folder.file(in.Recording)
	if err != nil {
		return nil, nil, err
	}
	asked := join(flag("threshold", in.Threshold), flag("alpha", s.Level), word("variant", in.Variant))
	if in.Each {
		asked = append(asked, "--by=scenario")
	}
	if in.Growing {
		asked = append(asked, "--anytime")
	} else {
		asked = append(asked, exactInterval)
	}
	look := s.looking("verdict", asked...)
	arguments := join([]string{"verdict", "--json", "--ledger=off"}, asked, []string{"--", file})
	return s.answer(ctx, s.calls(ctx, look, arguments...), look, false)
}

func (s *Server) compare(
	ctx context.Context, _ *mcp.CallToolRequest, in compareInput,
) (*mcp.CallToolResult, any, error) {
	var files [2]string
	for i, name := range [...]string{in.Baseline, in.Candidate} {
		file, err := s.folder.file(name)
		if err != nil {
			return nil, nil, err
		}
		files[i] = file
	}
	asked := join(flag("delta", cmp.Or(in.Delta, verdict.DefaultDelta)), flag("alpha", s.Level), flag("beta", s.Level),
		word("baseline-variant", in.BaselineVariant), word("candidate-variant", in.CandidateVariant))
	if in.Growing {
		asked = append(asked, "--anytime")
	}
	look := s.looking("compare", asked...)
	arguments := join([]string{"compare", "--json", "--ledger=off"}, asked, []string{"--", files[0], files[1]})
	return s.answer(ctx, s.calls(ctx, look, arguments...), look, false)
}

func (s *Server) gate(ctx context.Context, _ *mcp.CallToolRequest, in gateInput) (*mcp.CallToolResult, any, error) {
	results, err := s.folder.file(in.Results)
	if err != nil {
		return nil, nil, err
	}
	file, err := s.folder.suite(in.Suite)
	if err != nil {
		return nil, nil, err
	}
	var baseline string
	if in.Baseline != "" {
		if baseline, err = s.folder.file(in.Baseline); err != nil {
			return nil, nil, err
		}
	}
	look := s.looking("gate")
	arguments := join([]string{"gate", "--json", "--results=" + results}, word("baseline", baseline),
		flag("min-pass-rate", in.MinPassRate), []string{"--", file})
	return s.answer(ctx, s.calls(ctx, look, arguments...), look, false)
}

func (s *Server) explain(
	ctx context.Context, _ *mcp.CallToolRequest, in explainInput,
) (*mcp.CallToolResult, any, error) {
	given := 0
	for _, text := range []string{in.Result, in.Code, in.Method} {
		if text != "" {
			given++
		}
	}
	switch {
	case given != 1:
		return nil, nil, errors.New("give one of result, code and method")
	case in.Result != "":
		file, err := s.folder.file(in.Result)
		if err != nil {
			return nil, nil, err
		}
		// Nothing is judged: it is told what was, as anybody may read in the file.
		look := s.looking("explain")
		return s.answer(ctx, s.calls(ctx, look, "report", "--format=json", "--", file), look, true)
	}
	text, err := manualText(cmp.Or(in.Code, in.Method), in.Code != "")
	if err != nil {
		return nil, nil, err
	}
	return textOf(text), &Answer{Verdict: noVerdict}, nil
}

// run makes trials. One run at a time: they share a budget.
func (s *Server) run(ctx context.Context, request *mcp.CallToolRequest, in runInput) (*mcp.CallToolResult, any, error) {
	file, err := s.folder.suite(in.Suite)
	if err != nil {
		return nil, nil, err
	}
	if !s.running.TryLock() {
		return nil, nil, errors.New("another run is going on: wait for it, or cancel it")
	}
	defer s.running.Unlock()
	call := Call{Arguments: []string{"run", "--json", "--ledger=off"}, Progress: notifying(ctx, request)}
	if err := s.bound(&call, in.MaxCost); err != nil {
		return nil, nil, err
	}
	for _, glob := range in.Only {
		// A comma would part a list.
		if strings.ContainsAny(glob, "\",\n") {
			return nil, nil, fmt.Errorf("%s is no glob of a name", prose.Quote(glob))
		}
		call.Arguments = append(call.Arguments, "--only="+glob)
	}
	how := "--fresh"
	if in.Resume {
		how = "--resume"
	}
	call.Arguments = append(call.Arguments, how, "--", file)
	look := s.looking(runTool)
	reply := s.within(ctx, look, call)
	return s.answer(ctx, reply, look, false)
}

// bound holds a call to what is left of the budget, and to what the agent asks for.
func (s *Server) bound(call *Call, asked float64) error {
	usd := s.MaxCostUSD - s.spent.usd
	switch {
	case s.MaxCostUSD > 0 && usd <= 0, s.MaxTrials > 0 && s.spent.trials >= s.MaxTrials:
		return fmt.Errorf("the budget of this server is spent: %s, %.4g USD; a person may start it with more",
			prose.Count(s.spent.trials, "trial"), s.spent.usd)
	case s.MaxCostUSD == 0:
		usd = asked
	case asked > 0:
		usd = min(usd, asked)
	}
	if s.MaxTrials > 0 {
		call.MaxTrials = s.MaxTrials - s.spent.trials
	}
	call.Arguments = join(call.Arguments, flag("max-cost", usd))
	return nil
}

// within runs a call that makes trials, and takes what it took from the budget.
func (s *Server) within(ctx context.Context, look *lookRequest, call Call) Reply {
	tell, last := call.Progress, Progress{}
	call.Progress = func(p Progress) {
		last = p
		if tell != nil {
			tell(p)
		}
	}
	reply := s.command(ctx, look, call)
	s.spend(reply, last)
	return reply
}

// ratchetTry tries a challenger in the session that a person began: it has the level of its turn, and what is a try too
// many costs the agent, not the person who trusts the answer.
func (s *Server) ratchetTry(
	ctx context.Context, request *mcp.CallToolRequest, in ratchetInput,
) (*mcp.CallToolResult, any, error) {
	file, err := s.folder.suite(in.Suite)
	if err != nil {
		return nil, nil, err
	}
	if !s.running.TryLock() {
		return nil, nil, errors.New("another run is going on: wait for it, or cancel it")
	}
	defer s.running.Unlock()
	call := Call{Arguments: join([]string{"improve", "ratchet", "try", "--json", "--suite=" + file},
		word("challenger", in.Challenger),
		word("champion", in.Champion)), Progress: notifying(ctx, request)}
	if err := s.bound(&call, in.MaxCost); err != nil {
		return nil, nil, err
	}
	look := s.looking(ratchetTool)
	return s.answer(ctx, s.within(ctx, look, call), look, false)
}
