package ingest

import (
	"errors"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// The mapping that a message proposes reads the file. The shapes are those of tables of results that tools export, such
// as the experiments of Braintrust, and of harnesses of people's own.
func TestProposedMappings(t *testing.T) {
	for text, want := range map[string]struct{ mapping, told string }{
		`{"task_id":"a","passed":true}` + "\n" + `{"task_id":"b","passed":false}`: {
			"{scenario: task_id, outcome: passed}", "a pass, b fail"},
		`[{"id":"a","input":"q","output":"x","expected":"x","scores":{"Levenshtein":0.5}},` +
			`{"id":"b","input":"q","output":"y","expected":"y","scores":{"Levenshtein":1}}]`: {
			"{scenario: id, outcome: {path: scores.Levenshtein, at_least: 1}}", "a fail, b pass"},
		`{"model":"m","results":[{"name":"a","status":"ok"},{"name":"b","status":"failed"}],"notes":[{"name":"x"}]}`: {
			"{records: results, scenario: name, outcome: {path: status, pass: [ok], fail: [failed]}}", "a pass, b fail"},
		`{"case":"a","reward":1.0}`:                  {"{scenario: case, outcome: {path: reward, at_least: 1}}", "a pass"},
		`{"case":"a","resolved":1}`:                  {"{scenario: case, outcome: resolved}", "a pass"},
		`{"name":"a","weather":"fine"}`:              {"{scenario: name}", "a unjudged"},
		`{"name":"a","status":"it depends"}`:         {"{scenario: name, outcome: {path: status, pass: [...], fail: [...]}}", ""},
		"task_id,seconds,success\na,1.5,1\nb,2,0\n":  {"{scenario: task_id, outcome: success}", "a pass, b fail"},
		"task;verdict\n\"a;b\";correct\nc;wrong\nd;": {"{scenario: task, outcome: {path: verdict, pass: [correct], fail: [wrong]}}", ""},
		"test,status\nx,ok\nx,FAILED\n":              {"{scenario: test, outcome: {path: status, pass: [ok], fail: [FAILED]}}", "x pass, x fail"},
		"test,result\nx,good\nx,bad\n":               {"{scenario: test, outcome: {path: result, pass: [good], fail: [bad]}}", "x pass, x fail"},
		"class name,status\nx,ok\n":                  {"{scenario: class name, outcome: {path: status, pass: [ok]}}", "x pass"},
		"weather,wind\nfine,weak\n":                  {"{scenario: weather, outcome: {path: wind, pass: [...], fail: [...]}}", ""},
		"case,outcome\na,ok\na,ko": {
			"{scenario: case, outcome: {path: outcome, pass: [ok], fail: [ko]}}", "a pass, a fail"},
		"Test Case;Wind;Final state;variant\na;weak;OK;x\nb;weak;ok;x\nc;weak;No;x\nd;weak;skipped;x": {
			"{scenario: Test Case, outcome: {path: Final state, pass: [OK], fail: [No], skip: [skipped]}, variant: variant}",
			"a pass, b pass, c fail"},
		"Test Case;Erfolg;Notes\na;ja;x\nb;nein;\na;ja;": {
			"{scenario: Test Case, outcome: {path: Erfolg, pass: [...], fail: [...]}}", ""},
		"case;place;day\na;m1;mo\nb;m2;tu\n":              {"{scenario: case}", ""},
		"what's tried\tR\na\t1\nb\t0\n":                   {`{scenario: "what\x27s tried", outcome: R}`, "a pass, b fail"},
		"import os, sys\nx = [1, 2, 3]\n":                 {"", ""},
		`{"weather":"fine"}`:                              {"", ""},
		`{"results":[1,2],"weather":[{"rain":1}]}`:        {"", ""},
		"booking,pass\nbooking,fail\n":                    {"", ""},
		`{"first name":"a","pass\u0000ed":true,"x":null}`: {"", ""},
	} {
		name := file(t, "f", text)
		_, err := written(Open([]string{name}, unjudged))
		var e *trial.FileError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, _ := strings.CutPrefix(e.Advice, mappingAdvice)
		got, _, _ = strings.Cut(strings.TrimPrefix(got, "'"), "'")
		if e.About != "Map" {
			got = ""
		}
		if got != want.mapping || (got != "") != (e.About == "Map") {
			t.Errorf("%s\n got %s\nwant %s", text, e.Advice, want.mapping)
		}
		if want.told == "" {
			continue
		}
		o := unjudged
		o.Map = got
		var told []string
		for x, err := range Open([]string{name}, o).Trials(t.Context()) {
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			outcome := "unjudged"
			if x.Outcome != trial.Unjudged {
				outcome = x.Outcome.String()
			}
			told = append(told, x.Scenario+" "+outcome)
		}
		if strings.Join(told, ", ") != want.told {
			t.Errorf("%s: %s, want %s", text, told, want.told)
		}
	}
}
