package verify

// otherDocument is a document that commands write beside results.
type otherDocument struct {
	schema string
	what   string // what it is
	reads  string // who reads it; "" is programs
}

// documents are all of them.
var documents = []otherDocument{
	{"tribunal/baseline/v1", "a baseline as tribunal store baseline show prints it", ""},
	{"tribunal/baselines/v1", "the baselines of a store", ""},
	{"tribunal/bench-calibration/v1", "a measurement of the bench", ""},
	{"tribunal/bench-faults/v1", "a measurement of the bench", ""},
	{"tribunal/bench-growth/v1", "a measurement of the bench", ""},
	{"tribunal/bench-paper/v1", "a measurement of the bench", ""},
	{"tribunal/bench-savings/v1", "a measurement of the bench", ""},
	{"tribunal/evaluators/v1", "the list of evaluators", ""},
	{"tribunal/fingerprint/v1", "the fingerprints of trials", ""},
	{"tribunal/gap/v1", "what is not covered", "generators of tribunal check suggest read it"},
	{"tribunal/judge-check/v1", "what a judge is worth", ""},
	{"tribunal/label-key/v1", "the key of a sheet of labels",
		"tribunal judge check and verdict --labels read it beside its sheet"},
	{"tribunal/limits/v1", "limits that tribunal plan limits proposes", ""},
	{"tribunal/monitor-event/v1", "a line of tribunal monitor", ""},
	{"tribunal/monitor-state/v1", "the state of tribunal monitor", "tribunal monitor --state reads it"},
	{"tribunal/mutants/v1", "a list of mutants", ""},
	{"tribunal/nearest/v1", "which version a recording is most like", ""},
	{"tribunal/offline/v1", "what recorded trials can answer", ""},
	{"tribunal/pipeline/v1", "the plan of a pipeline", ""},
	{"tribunal/plan-proxy/v1", "the plan of a proxy", ""},
	{"tribunal/prices/v1", "a list of prices", ""},
	{"tribunal/prices-check/v1", "recorded costs beside list prices", ""},
	{"tribunal/race-plan/v1", "the plan of a race", ""},
	{"tribunal/ratchet-promise/v1", "the error rates of a session of candidates", ""},
	{"tribunal/run-failed/v1", "trials that were repeated", ""},
	{"tribunal/store/v1", "what a store holds", ""},
	{"tribunal/suggest/v1", "scenarios that tribunal check suggest proposes", ""},
	{"tribunal/try/v1", "one trial of tribunal try", ""},
}

// besides says of a schema that is none of a result what it is of, and who reads it.
func besides(schema string) (what, reads string, is bool) {
	for _, d := range documents {
		if d.schema == schema {
			if d.reads == "" {
				return d.what, "programs read it", true
			}
			return d.what, d.reads, true
		}
	}
	return "", "", false
}
