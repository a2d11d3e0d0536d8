package ingest

import (
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// scoredLog is a log of one sample with the scores, which are JSON.
func scoredLog(scores string) string {
	return `{"status":"success","eval":{"task":"t"},"samples":[{"id":1,"epoch":1,"messages":[],"scores":` + scores + `}]}`
}

func TestInspectScores(t *testing.T) {
	several := `{"judge":{"value":{"tone":"I","fact":true}},"match":{"value":"C"}}`
	for _, c := range []struct {
		scores string
		o      Options
		want   string // outcome and score
	}{
		{`{"m":{"value":"C"}}`, Options{}, `"outcome":"pass","score":1,`},
		{`{"m":{"value":"I"}}`, Options{}, `"outcome":"fail","score":0,`},
		{`{"m":{"value":"N"}}`, Options{}, `"outcome":"fail","score":0,`},
		{`{"m":{"value":false}}`, Options{}, `"outcome":"fail","score":0,`},
		{`{"m":{"value":"P"}}`, unjudged, `"score":0.5,`},
		{`{"m":{"value":1}}`, unjudged, `"score":1,`}, // of how many?
		{`{"m":{"value":1}}`, Options{Options: trial.Options{PassScore: trial.Some(1.0)}}, `"outcome":"pass","score":1,`},
		{`{"m":{"value":"P"}}`, Options{Options: trial.Options{PassScore: trial.Some(0.75)}},
			`"outcome":"fail","score":0.5,`},
		{`{"m":{"value":[1]}}`, unjudged, ``},
		{`{"m":{"value":NaN}}`, unjudged, ``},
		{several, unjudged, ``},
		{several, Options{Scorer: "match"}, `"outcome":"pass","score":1,`},
		{several, Options{Scorer: "judge.tone"}, `"outcome":"fail","score":0,`},
		{several, Options{Scorer: "judge.fact"}, `"outcome":"pass","score":1,`},
	} {
		checkWritten(t, streamOf(scoredLog(c.scores), c.o),
			`1 {"scenario":"t/1","trial":1,`+c.want+`"steps":[],"tags":{"eval.task":"t"}}`)
	}
	s := streamOf(scoredLog(several), unjudged)
	if _, err := written(s); err != nil {
		t.Fatal(err)
	}
	checkNotes(t, s, "f: 1 trial (inspect); there are several scorers, and none was chosen to judge: judge.fact, "+
		"judge.tone, match")
	for _, c := range []struct {
		scores string
		o      Options
		want   string
	}{
		{several, Options{}, "f:1: outcome is not clear: the scorers are judge.fact, judge.tone, match; choose the one " +
			"that judges with Scorer"},
		{several, Options{Scorer: "other", Options: trial.Options{Unjudged: true}},
			`f has no score of the scorer "other"; its scorers are judge.fact, judge.tone, match`},
		{`{"m":{"value":1}}`, Options{},
			"f:1: outcome is missing; there is a score: give the least score that passes with PassScore"},
	} {
		if _, err := written(streamOf(scoredLog(c.scores), c.o)); err == nil || err.Error() != c.want {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}

// Where the events are not all there, the messages give the steps, and older logs
// have scorers in steps and sub-agents inside of the call.
func TestInspectEvents(t *testing.T) {
	older := `{"status":"success","eval":{"task":"t"},"samples":[{"id":1,"epoch":1,"messages":[{"role":"assistant","content":"b"}],"scores":{"m":{"value":"C"}},"events":[
		{"event":"step","action":"begin","type":"solver","name":"generate"},
		{"event":"model","output":{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"c","function":"sub","arguments":{}}]}}],"usage":{"input_tokens":3,"output_tokens":1,"total_tokens":4}}},
		{"event":"tool","id":"c","function":"sub","arguments":{},"result":"r","events":[{"event":"model","cache":"read","output":{"choices":[{"message":{"content":"a"}}]}}]},
		{"event":"model","output":{"choices":[{"message":{"role":"assistant","content":"b"}}]}},
		{"event":"step","action":"begin","type":"scorer","name":"m"},
		{"event":"model","output":{"choices":[{"message":{"content":"GRADE"}}],"usage":{"input_tokens":500}}},
		{"event":"step","action":"end","type":"scorer","name":"m"}],
		"model_usage":{"m":{"input_tokens":503}}}]}`
	s := streamOf(older, Options{})
	checkOutlines(t, s, "inspect", "t/1#1 pass score=1 in=3 out=1: reason sub >respond respond")
	checkNotes(t, s, "f: 1 trial (inspect); answers come from the cache: they repeat earlier ones and are no new trials")

	partial := strings.Replace(older, `{"role":"assistant","content":"b"}`, `{"id":"m1","role":"assistant","content":"b"}`,
		1)
	s = streamOf(partial, Options{})
	checkOutlines(t, s, "inspect", "t/1#1 pass score=1 in=503: respond")
	checkNotes(t, s, "f: 1 trial (inspect); answers come from the cache: they repeat earlier ones and are no new "+
		"trials; tokens are with those of the models that score")
}

// An attachment that a sample refers to again and again is not copied for ever.
func TestInspectAttachments(t *testing.T) {
	long := strings.Repeat("x", 1000)
	text := `{"status":"success","eval":{"task":"t"},"samples":[{"id":1,"messages":[` +
		strings.TrimSuffix(strings.Repeat(`{"role":"assistant","content":"attachment://a"},`, 20), ",") +
		`],"attachments":{"a":"` + long + `"}}]}`
	s := streamOf(text, Options{MaxDocumentBytes: 4000, Options: trial.Options{Unjudged: true}})
	whole := 0
	for x, err := range s.Trials(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range x.Steps {
			if len(step.Output) > len(long) {
				whole++
			}
		}
	}
	if whole != 5 {
		t.Errorf("%d attachments, want those up to the limit", whole)
	}
	checkNotes(t, s, "f: 1 trial (inspect); attachments that repeat too often are left out")
}
