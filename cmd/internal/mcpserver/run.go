package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// notifyEvery is how often an agent is told of a run: seldom enough to fill no context.
const notifyEvery = time.Second

// notifying tells the client of a run that it asked to hear of; nil where it did not.
func notifying(ctx context.Context, request *mcp.CallToolRequest) func(Progress) {
	token := request.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	type state struct{ trials, most int }
	tests := map[string]state{}
	var next time.Time
	return func(p Progress) {
		tests[p.Test] = state{p.Trials, p.Most}
		now := time.Now()
		if now.Before(next) {
			return
		}
		next = now.Add(notifyEvery)
		done, most := 0, 0
		for _, t := range tests {
			done, most = done+t.trials, most+t.most
		}
		// A client that does not listen stops no run.
		_ = request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: float64(done), Total: float64(most),
			Message: fmt.Sprintf("%s: %s, %d failed", prose.Excerpt(p.Test), prose.Count(p.Trials, "trial"), p.Failures),
		})
	}
}

// spend takes what a run took from the budget. One that ended without a result, such as a cancelled one, took what it
// last told of. What continues an earlier run is taken with all that run took: that is rather too much than too
// little.
func (s *Server) spend(reply Reply, last Progress) {
	var result struct {
		Spent struct {
			Cost     *float64 `json:"cost_usd"`
			Attempts int      `json:"attempts"`
		} `json:"spent"`
	}
	if json.Unmarshal([]byte(reply.Output), &result) != nil || result.Spent.Attempts == 0 {
		s.spent.trials, s.spent.usd = s.spent.trials+last.Attempts, s.spent.usd+last.USD
		return
	}
	s.spent.trials += result.Spent.Attempts
	if result.Spent.Cost != nil {
		s.spent.usd += *result.Spent.Cost
	}
}
