package ingest

import "testing"

// Statistics that are all zero were not counted.
func TestSWEAgentStatisticsOfZeroAreUnknown(t *testing.T) {
	text := `{"trajectory":[{"action":"","observation":"","response":"done","thought":""}],"history":[],"info":{"exit_status":"submitted",` +
		`"model_stats":{"instance_cost":0,"tokens_sent":0,"tokens_received":0,"api_calls":0}}}`
	for x, err := range streamOf(text, unjudged).Trials(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if x.InputTokens.Known || x.OutputTokens.Known || x.CostUSD.Known {
			t.Errorf("%v, %v, %v", x.InputTokens, x.OutputTokens, x.CostUSD)
		}
	}
}
