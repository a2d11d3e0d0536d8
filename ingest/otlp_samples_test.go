package ingest

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// traceSample is what a trace of another tool holds, counted by hand in the file.
type traceSample struct {
	folder, name string
	scenario     string
	steps        string
	in, out      int64   // 0: not known
	cost         float64 // 0: not known
	model        string
	seconds      float64
	outcome      trial.Outcome
	score        trial.Optional[float64]
	input        string
	output       string // its beginning
}

func checkTraceSamples(t *testing.T, format Format, samples []traceSample) {
	for _, c := range samples {
		t.Run(c.name, func(t *testing.T) {
			name := sample(t, c.folder, c.name)
			if got := shortSteps(Open([]string{name}, unjudged)); got != c.steps {
				t.Errorf("steps: got %s, want %s", got, c.steps)
			}
			s, trials := Open([]string{name}, unjudged), 0
			for x, err := range s.Trials(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				trials++
				if x.Scenario != c.scenario || x.Model != c.model || x.Outcome != c.outcome || x.Score != c.score ||
					math.Abs(x.DurationSeconds.Value-c.seconds) > 1e-6 {
					t.Errorf("%q, %q, %v, %v, %v", x.Scenario, x.Model, x.Outcome, x.Score, x.DurationSeconds)
				}
				if x.InputTokens.Value != c.in || x.OutputTokens.Value != c.out || x.InputTokens.Known != (c.in > 0) ||
					x.OutputTokens.Known != (c.out > 0) {
					t.Errorf("tokens: %v, %v", x.InputTokens, x.OutputTokens)
				}
				if x.CostUSD.Known != (c.cost > 0) || math.Abs(x.CostUSD.Value-c.cost) > 1e-12 {
					t.Errorf("cost: %v", x.CostUSD)
				}
				if in, out := x.Input.Text(), x.Output.Text(); in != c.input || len(out) < len(c.output) ||
					out[:len(c.output)] != c.output || c.output == "" && out != "" {
					t.Errorf("input %q, output %q", in, out)
				}
			}
			if n := s.Notes()[0]; trials != 1 || n.Format != format || skippedIn(n) > 0 || len(n.Remarks) > 0 {
				t.Errorf("%d trials, %s", trials, n)
			}
		})
	}
}

const weather = "What's the weather in Tokyo?"

func TestOTLPSamples(t *testing.T) {
	sample(t, "formats", "README.md") // one skip for all
	checkTraceSamples(t, "otlp", []traceSample{
		{"formats", "otlp-genai-current.json", "invoke_agent support", "reason call_tool:cancel_order! respond", 120 + 180,
			18 + 12, 0, "gpt-4o-2024-08-06", 3, trial.Fail, trial.Some(0.0), "cancel my order W1",
			"I could not find that order."},
		{"formats", "otlp-genai-1.36-names.json", "invoke_agent support", "reason call_tool:cancel_order! respond", 120 + 180,
			18 + 12, 0, "gpt-4o-2024-08-06", 3, 0, trial.Optional[float64]{}, "cancel my order W1",
			"I could not find that order."},
		{"formats", "otlp-genai-agent-framework.json", "invoke_agent", "reason call_tool:get_weather respond", 77 + 216,
			86 + 20, 0, "gpt-5-mini-2025-08-07", 4.364, 0, trial.Optional[float64]{}, weather,
			"Current conditions in Tokyo, Japan: stormy"},
		{"formats", "otlp-genai-pydantic-ai.json", "run_joke_generator",
			"reason call_tool:get_pun_suggestion call_tool:get_dad_joke_suggestion call_tool:get_one_liner_suggestion respond " +
				"respond respond",
			265 + 417 + 502 + 131, 73 + 53 + 14 + 69, 0.00008355 + 0.00009435 + 0.0000837 + 0.00006105, "gpt-4o-mini-2024-07-18",
			7.424, 0, trial.Optional[float64]{},
			"Select and call THREE of the available tools to get joke suggestions about 'programming'.",
			`{"feedback":"The joke is clever`},
		{"formats", "otlp-genai-legacy-events.json", "pydantic-ai-qa-trace", "respond", 31, 96, 0, "gpt-4o-2024-08-06", 4.795,
			0, trial.Optional[float64]{}, "What is Langfuse?", "Langfuse is a tool designed for"},
		{"formats", "otlp-gen_ai-prompt-indexed-koog.json", "agent", "reason call_tool:HelloTool call_tool:ByeTool respond",
			0, 0, 0, "gpt-4o", 5.843, 0, trial.Optional[float64]{},
			"Greet and say goodbye to the user in the same message. Use provided tools to generate a proper greeting. The " +
				"user name is Bob.", "Hello my darling Bob! And, bye my dear Bob!"},
		{"formats", "otlp-google-adk.json", "invocation [hello_app]", "reason call_tool:say_hello respond", 28 + 39, 3 + 6, 0,
			"gemini-2.0-flash", 1.848, 0, trial.Optional[float64]{}, "hi", "Hello Langfuse 👋!"},
		{"formats", "otlp-vercel-ai-sdk.json", "ai.generateText", "reason call_tool:getWeather", 62, 85, 0,
			"gpt-5-2025-08-07", 3.045, 0, trial.Optional[float64]{}, "What is the weather like today in San Francisco?", ""},
		{"formats", "otlp-openinference-openai-agents.json", "Agent workflow", "reason call_tool:get_weather respond",
			55 + 85, 15 + 29, 0, "gpt-4.1-2025-04-14", 2.19, 0, trial.Optional[float64]{}, weather,
			"The weather in Tokyo is currently sunny."},
		{"formats", "otlp-openinference-crewai.json", "crewai-index-trace", "respond", 190, 164, 0, "gpt-4o-mini", 3.75, 0,
			trial.Optional[float64]{}, crewTask, "I now can give a great answer"},
		{"formats", "otlp-openllmetry-0.4.json", "airline-0", "reason call_tool:cancel_order! respond", 120 + 160, 18 + 12, 0,
			"gpt-4o-2024-08-06", 4.2, 0, trial.Optional[float64]{}, "cancel my order", "I could not find that order."},
	})
}

const crewTask = "\nCurrent Task: Define the HTML for making a simple website with heading- Hello World! Langfuse " +
	"monitors your CrewAI agent!\n\n" +
	"This is the expected criteria for your final answer: A clear and concise HTML code\nyou MUST return the actual " +
	"complete content as the final answer, not a summary.\n\n" +
	"Begin! This is VERY important to you, use the tools available and give your best Final Answer, your job depends on " +
	"it!\n\nThought:"

func TestLangfuseSamples(t *testing.T) {
	sample(t, "formats", "README.md") // one skip for all
	const folder = "langfuse-framework-traces"
	none := trial.Optional[float64]{}
	samples := []traceSample{
		{"formats", "langfuse-trace-autogen.json", "autogen-chat-trace", "respond", 41, 3, 2.5e-5, "gpt-4o", 0.645, 0, none,
			"Say 'Hello World!'", "Hello World!"},
		{"formats", "langfuse-trace-langgraph.json", "LangGraph", "reason call_tool:Web-Search respond", 60 + 108, 15 + 51,
			7.5e-5 + 0.000159, "gpt-4o-2024-08-06", 2.61, 0, none, "Search the web for 'example' and summarize.",
			`The search for "example" primarily`},
		{"formats", "langfuse-trace-openai-agents.json", "Agent workflow", "reason call_tool:get_weather respond", 55 + 85,
			15 + 29, 0.00023 + 0.000402, "gpt-4.1-2025-04-14", 2.19, 0, none, weather,
			"The weather in Tokyo is currently sunny."},
		{folder, "agno-2025-06-11.trace.json.gz", "Agent.run", "reason call_tool:duckduckgo_search respond", 163 + 663,
			20 + 225, 3.645e-5 + 0.000234449999, "gpt-4o-mini", 6.991, 0, none, "What is currently trending on Twitter?",
			"To find out what's currently trending on Twitter"},
		{folder, "autogen-2025-06-06.trace.json.gz", "autogen-chat-trace", "respond", 41, 3, 2.5e-5, "gpt-4o", 0.645, 0, none,
			"Say 'Hello World!'", "Hello World!"},
		{folder, "beeai-2025-08-01.trace.json.gz", "beeai-framework-main",
			"reason call_tool:Wikipedia reason call_tool:OpenMeteoTool respond", 1195 + 1988 + 2359, 0, 0.00017925 + 0.0002982 +
				0.00035385, "gpt-4o-mini", 17.173, 0, none,
			"I'm planning a trip to Barcelona, Spain. Can you research key attractions and landmarks I should visit, and also " +
				"tell me what the current weather conditions are like there?",
			"{'role': 'assistant', 'text': \"Barcelona is a vibrant city"},
		{folder, "claude-agent-2025-12-22.trace.json.gz", "claude.conversation",
			"respond reason reason call_tool:mcp__weather__get_weather call_tool:mcp__weather__get_weather respond",
			19 + 5 + 5 + 5, 29 + 53 + 56 + 94, 0.000492 + 0.00081 + 0.000855 + 0.001425, "claude-sonnet-4-5-20250929", 7.36, 0,
			none, "What's the weather like in Berlin and New York?", "Great! Here's the current weather for both cities:"},
		{folder, "crewai-2025-07-11.trace.json.gz", "crewai-index-trace", "respond", 190, 164, 0.0001269, "gpt-4o-mini", 3.75,
			0, none, crewTask, "I now can give a great answer"},
		{folder, "google-adk-2025-08-28.trace.json.gz", "invocation [hello_app]", "reason call_tool:say_hello respond",
			28 + 39, 3 + 6, 4e-6 + 6.3e-6, "gemini-2.0-flash", 1.848, 0, none, "hi", "Hello Langfuse 👋!"},
		{folder, "google-gemini-2025-08-01.trace.json.gz", "GenerateContent", "respond", 6, 2055, 0.005139299999,
			"gemini-2.5-flash", 12.032, 0, none, "What is Langfuse?", "**Langfuse** is an **open-source observability"},
		{folder, "koog-2025-08-26.trace.json.gz", "agent", "reason call_tool:HelloTool call_tool:ByeTool respond", 47 + 168,
			106 + 19, 0.0011775 + 0.00061, "gpt-4o", 5.843, 0, none,
			"Greet and say goodbye to the user in the same message. Use provided tools to generate a proper greeting. The " +
				"user name is Bob.", "Hello my darling Bob! And, bye my dear Bob!"},
		{folder, "langgraph-js-2025-10-30.trace.json.gz", "LangGraph", "reason call_tool:get_weather respond", 142 + 179,
			24 + 35 + 64, 8.35e-5 + 0.00024275, "gpt-5-mini-2025-08-07", 5.29, 0, none, "What's the weather in San Francisco?",
			"It's always sunny in San Francisco!"},
		{folder, "langgraph-python-2025-08-22.trace.json.gz", "LangGraph", "reason call_tool:Web-Search respond", 60 + 108,
			15 + 51, 7.5e-5 + 0.000159, "gpt-4o-2024-08-06", 2.61, 0, none, "Search the web for 'example' and summarize.",
			`The search for "example" primarily`},
		{folder, "llamaindex-2025-06-05.trace.json.gz", "llama-index-trace", "respond", 13, 81, 0.000842499999, "gpt-4o",
			2.779, 0, none, "What is Langfuse?", "Langfuse is a tool designed to help developers"},
		{folder, "microsoft-agent-2025-12-17.trace.json.gz", "invoke_agent", "reason call_tool:get_weather respond", 77 + 216,
			86 + 20, 0.00019125 + 9.4e-5, "gpt-5-mini-2025-08-07", 4.364, 0, none, weather,
			"Current conditions in Tokyo, Japan: stormy"},
		{folder, "openai-agents-2025-09-30.trace.json.gz", "Agent workflow", "reason call_tool:get_weather respond", 55 + 85,
			15 + 29, 0.00023 + 0.000402, "gpt-4.1-2025-04-14", 2.19, 0, none, weather,
			"The weather in Tokyo is currently sunny."},
		{folder, "pydantic-ai-2025-06-06.trace.json.gz", "pydantic-ai-qa-trace", "respond", 31, 96, 0.0010375,
			"gpt-4o-2024-08-06", 4.795, 0, none, "What is Langfuse?", "Langfuse is a tool designed for"},
		{folder, "pydantic-ai-tools-2025-06-06.trace.json.gz", "pydantic-ai-qa-trace", "respond", 31, 96, 0.0010375,
			"gpt-4o-2024-08-06", 4.795, 0, none, "What is Langfuse?", "Langfuse is a tool designed for"},
		{folder, "pydantic-ai-tools-2025-12-04.trace.json.gz", "joke-generator",
			"reason call_tool:get_pun_suggestion call_tool:get_dad_joke_suggestion call_tool:get_one_liner_suggestion respond " +
				"respond respond",
			265 + 417 + 502 + 131, 73 + 53 + 14 + 69, 8.355e-5 + 9.435e-5 + 8.37e-5 + 6.1049999e-5, "gpt-4o-mini-2024-07-18",
			7.424, 0, none, "Select and call THREE of the available tools to get joke suggestions about 'programming'.",
			"Why do programmers hate nature?"},
		{folder, "pydantic-ai-with-gemini-2025-12-24.trace.json.gz", "chat gemini-2.5-flash", "respond", 40, 159, 0.0004095,
			"gemini-2.5-flash", 1.82, 0, none,
			"what is 1+1?\nOutput format:\n```json\n{\n    \"answer\": your answer,\n    \"rationale\": \"explanation for " +
				"answer\"\n}\n```", `{"answer": "2"`},
		{folder, "vercel-aisdk-2025-11-17.trace.json.gz", "ai.generateText", "reason call_tool:getWeather", 62, 85,
			0.000927499999, "gpt-5-2025-08-07", 3.045, 0, none, "What is the weather like today in San Francisco?", ""},
		// The parts are 5 and 845, the total is 2023: the thoughts of the model are in it.
		{folder, "vertex-ai-2025-08-01.trace.json.gz", "generate_content", "respond", 5, 2018, 0.00085,
			"projects/vertex-ai-integration-467711/locations/europe-central2/publishers/google/models/gemini-2.5-flash", 10.722,
			0, none, "What is Langfuse?", "**Langfuse** is an **open-source observability"},
	}
	checkTraceSamples(t, "langfuse", samples)
}
