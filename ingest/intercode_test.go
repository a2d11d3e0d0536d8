package ingest

import "testing"

// Pairs are what the environments kept before 2023-08; a reward within the tolerance is 1.
func TestInterCodeForms(t *testing.T) {
	checkOutlines(t, streamOf(`{"environment":"ic_ctf","query":"x","reward":0.9999999,"trajectory":[["cmd ls","a"],["submit flag{a}","b"]]}`, Options{}), "intercode",
		"ic_ctf#0 pass score=0.9999999: reason ctf reason submit")
	checkOutlines(t, streamOf(`{"0":{"environment":"ic_sql","query":"x","task_id":0,"turn_history":{"actions":[]},"summary":{}},"1":{"a":2}}`, unjudged), "intercode",
		"ic_sql/0#0 unjudged:")
}

func FuzzInterCode(f *testing.F) {
	seed(f, "intercode", `{"0":{"environment":"","query":1,"turn_history":{"actions":[1,{}],"rewards":7}}}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "intercode") })
}

func FuzzWhoAndWhen(f *testing.F) {
	seed(f, "who-and-when", `{"mistake_agent":1,"mistake_step":2,"history":[{"role":"a (-> )","content":[]},{"role":""},{"name":"ComputerTerminal"}]}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "who-and-when") })
}

// Records of a list may lack what tells the agent's mistake, and names of their own.
func TestWhoAndWhenForms(t *testing.T) {
	checkOutlines(t, streamOf(`[{"question":"a","question_ID":"1","is_correct":true,"history":[{"role":"Assistant","content":"x"}]},
{"question":"b","question_ID":"","is_corrected":null,"history":[{"role":"ComputerTerminal","content":"The script exited with Unix exit code 2."}]},{"c":1}]`, unjudged),
		"who-and-when", "1#0 pass: respond", "b#0 unjudged: ComputerTerminal!")
}
