package benchmarks

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// Harbor writes a result.json a trial: {task_name, trial_name, agent_info,
// agent_result, verifier_result, exception_info}. What the agent did is in its
// trajectory, another file.
//
//	{"task_name":"hello","trial_name":"hello__a","agent_info":{"name":"walker","version":"2.1"},
//	 "verifier_result":{"rewards":{"reward":1}},"exception_info":null,"agent_execution":{"started_at":"..."}}
//
// The result of a whole job has the trials by name only, and is not read.
func showsHarbor(s *record.Shape) bool { return !s.Array && isHarborResult(s.First()) }

// isHarborResult reports whether n is the result of one trial.
func isHarborResult(n record.Node) bool {
	return n.Has("task_name", "trial_name") && (n.Has("agent_info") || n.Has("verifier_result") ||
		n.At("config", "agent").IsObject())
}

// Harbor decodes Harbor trial results.
var Harbor = record.Decoder{Shows: showsHarbor, Read: readHarbor, Results: true}

// readHarbor makes a trial of each result. Its steps are unknown: they are in the trajectory
// beside it, see [ATIF].
func readHarbor(in *record.Input) error {
	return in.Records(func(n record.Node, line int) error {
		if !isHarborResult(n) {
			in.Notes.Skip(record.NoResults)
			return nil
		}
		t := record.NewTrace(in, line)
		t.ID = n.At("id").Text()
		t.Steps = nil
		t.Scenario = record.ValidText(n.At("task_name").Text())
		harborAgent(t, n)
		used := n.At("agent_result")
		t.InputTokens = used.At("n_input_tokens").Count()
		t.OutputTokens = used.At("n_output_tokens").Count()
		t.CachedTokens = used.At("n_cache_tokens").Count()
		t.CostUSD = used.At("cost_usd").Amount()
		period := n.At("agent_execution") // without setting up and verifying
		if !period.At("started_at").Exists() {
			period = n
		}
		t.AddTime(period.At("started_at").Time())
		t.AddTime(period.At("finished_at").Time())
		t.SetTags("", n, "trial_name", "source", "task_checksum", "task_id")
		t.SetTag("config.job_id", n.At("config", "job_id"))
		harborOutcome(in, t, n)
		return in.EmitTrace(t)
	})
}

// harborAgent tells which agent it was: a job may try several.
// The configuration stands in where there is no agent_info.
func harborAgent(t *record.Trace, n record.Node) {
	info := n.At("agent_info")
	model := info.At("model_info", "name").Text()
	if model == "" {
		model = n.At("config", "agent", "model_name").Text()
	}
	name := info.At("name").Text()
	if name == "" {
		name = n.At("config", "agent", "name").Text()
	}
	t.Model = record.ValidText(model)
	t.Variant = agentVariant(name, info.At("version").Text(), model)
	t.SetTags("agent_info", info, "name", "version")
}

// harborOutcome judges by the reward of the verifier. Without one, an exception
// tells why: the agent's own, such as its timeout, or of what surrounds it.
// A reward between 0 and 1 is a score, and where it passes is for --pass-score to say.
func harborOutcome(in *record.Input, t *record.Trace, n record.Node) {
	rewards := n.At("verifier_result", "rewards")
	reward, names := harborReward(rewards, in.Options.Scorer)
	exception := n.At("exception_info")
	kind := exception.At("exception_type").Text()
	switch {
	case reward.Known:
		t.Score = reward
		if reward.Value == 0 || reward.Value == 1 {
			t.Outcome = trial.ByScore(reward.Value, 1)
		}
		if kind != "" {
			t.Error = record.NewCause(kind, exception.At("exception_message").Text())
		}
	case exception.IsObject():
		t.SetInfrastructureError(kind, exception.At("exception_message").Text())
		// AgentTimeoutError is the agent's own doing; AgentSetupTimeoutError is not, for then it has
		// not begun.
		if strings.HasPrefix(kind, "Agent") && !strings.HasPrefix(kind, "AgentSetup") {
			t.Error.Origin = ""
		}
	case len(names) > 1:
		in.Notes.Remark("there are several rewards, and none was chosen to judge: " + strings.Join(names, ", "))
	}
}

// harborReward returns the reward of the name, of the name reward, or the only one.
func harborReward(rewards record.Node, chosen string) (reward trial.Optional[float64], names []string) {
	for name := range rewards.Members() {
		names = append(names, record.ValidText(name))
	}
	switch {
	case chosen != "":
		return rewards.At(chosen).Number(), names
	case rewards.Has("reward"):
		return rewards.At("reward").Number(), names
	case len(names) == 1:
		return rewards.At(names[0]).Number(), names
	}
	return reward, names
}
