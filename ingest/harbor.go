package ingest

import (
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// Harbor writes a result.json a trial: {task_name, trial_name, agent_info,
// agent_result, verifier_result, exception_info}. What the agent did is in its
// trajectory, another file.
func showsHarbor(s *shape) bool { return !s.array && isHarborResult(s.first()) }

func isHarborResult(n node) bool {
	return n.has("task_name", "trial_name") && (n.has("agent_info") || n.has("verifier_result") || n.at("config", "agent").isObject())
}

func readHarbor(in *input) error {
	return in.records(func(n node, line int) error {
		if !isHarborResult(n) {
			in.notes.skip(noResults)
			return nil
		}
		t := newTrace(in, line)
		t.Steps = nil
		t.Scenario = validText(n.at("task_name").text())
		harborAgent(t, n)
		used := n.at("agent_result")
		t.InputTokens = used.at("n_input_tokens").count()
		t.OutputTokens = used.at("n_output_tokens").count()
		t.CostUSD = used.at("cost_usd").amount()
		period := n.at("agent_execution") // without setting up and verifying
		if !period.at("started_at").exists() {
			period = n
		}
		t.addTime(period.at("started_at").time())
		t.addTime(period.at("finished_at").time())
		t.setTags("", n, "trial_name", "source", "task_checksum", "task_id")
		t.setTag("config.job_id", n.at("config", "job_id"))
		harborOutcome(in, t, n)
		return in.emitTrace(t)
	})
}

// harborAgent tells which agent it was: a job may try several.
func harborAgent(t *trace, n node) {
	info := n.at("agent_info")
	model := info.at("model_info", "name").text()
	if model == "" {
		model = n.at("config", "agent", "model_name").text()
	}
	name := info.at("name").text()
	if name == "" {
		name = n.at("config", "agent", "name").text()
	}
	t.Model = validText(model)
	t.Variant = agentVariant(name, info.at("version").text(), model)
	t.setTags("agent_info", info, "name", "version")
}

// harborOutcome judges by the reward of the verifier. Without one, an exception
// tells why: the agent's own, such as its timeout, or of what surrounds it.
func harborOutcome(in *input, t *trace, n node) {
	rewards := n.at("verifier_result", "rewards")
	reward, names := harborReward(rewards, in.options.scorer)
	exception := n.at("exception_info")
	kind := exception.at("exception_type").text()
	switch {
	case reward.Known:
		t.Score = reward
		if reward.Value == 0 || reward.Value == 1 {
			t.Outcome = trial.ByScore(reward.Value, 1)
		}
		if kind != "" {
			t.Error = newCause(kind, exception.at("exception_message").text())
		}
	case exception.isObject():
		t.setInfrastructureError(kind, exception.at("exception_message").text())
		if strings.HasPrefix(kind, "Agent") && !strings.HasPrefix(kind, "AgentSetup") {
			t.Error.Origin = ""
		}
	case len(names) > 1:
		in.notes.remark("there are several rewards, and none was chosen to judge: " + strings.Join(names, ", "))
	}
}

// harborReward returns the reward of the name, of the name reward, or the only one.
func harborReward(rewards node, chosen string) (reward trial.Optional[float64], names []string) {
	for name := range rewards.members() {
		names = append(names, validText(name))
	}
	switch {
	case chosen != "":
		return rewards.at(chosen).number(), names
	case rewards.has("reward"):
		return rewards.at("reward").number(), names
	case len(names) == 1:
		return rewards.at(names[0]).number(), names
	}
	return reward, names
}
