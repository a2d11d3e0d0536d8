package ingest

import "testing"

func TestDeepEvalForms(t *testing.T) {
	const metrics = `"metricsData":[{"name":"A","success":true,"score":1},{"name":"B","success":false,"score":0.5}]`
	for _, c := range []struct {
		name, text string
		o          Options
		want       []string
	}{
		{"cases of one function about several inputs",
			`{"testCases":[{"name":"a","input":"x","success":true,"metricsData":[]},` +
				`{"name":"a","input":"y","success":true,"metricsData":[]},{"name":"a","input":"y","success":false,"metricsData":[]}]}`, Options{},
			// The first digits of the SHA-256 of "y", with its quotes.
			[]string{"a#0 pass", "a #2bc983a5#0 pass", "a #2bc983a5#1 fail"}},
		{"a metric that is chosen", `{"testCases":[{"name":"a","success":false,` + metrics + `}]}`, Options{Scorer: "a"},
			[]string{"a#0 pass score=1"}},
		{"a metric that is chosen and failed", `{"testCases":[{"name":"a","success":false,` + metrics + `}]}`,
			Options{Scorer: "B"},
			[]string{"a#0 fail error=/metric score=0.5"}},
		{"of 2024", `{"testCases":[{"name":"a","input":"x","actualOutput":"y","success":true,"latency":2,"cost":0.5,"metricsMetadata":[{"metric":"A","score":1,"success":true}]}]}`,
			Options{}, []string{"a#0 pass score=1 cost=0.5 seconds=2"}},
		{"nothing was measured", `{"testCases":[{"name":"a","input":"x","actualOutput":"y"}]}`, unjudged,
			[]string{"a#0 unjudged"}},
		{"the agent's own model could not be reached",
			`{"testCases":[{"name":"a","success":false,"metricsData":[{"name":"A","success":false,"score":0}],` +
				`"trace":{"llmSpans":[{"uuid":"1","name":"x","status":"ERRORED","error":"429"}]}}]}`, Options{},
			[]string{"a#0 error error=infrastructure/ score=0: reason!"}},
		{"a circle of parents", `{"testCases":[{"name":"a","success":true,"metricsData":[],"trace":{"toolSpans":[{"uuid":"1","parentUuid":"1","name":"f","status":"SUCCESS"}]}}]}`,
			Options{}, []string{"a#0 pass: f"}},
	} {
		t.Run(c.name, func(t *testing.T) { checkOutlines(t, streamOf(c.text, c.o), "deepeval", c.want...) })
	}
}

func FuzzDeepEval(f *testing.F) {
	seed(f, "deepeval", `{"testCases":[{"name":"a","trace":{"llmSpans":[{"uuid":"1","parentUuid":"2","inputTokenCount":1e300}]}}]}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "deepeval") })
}
