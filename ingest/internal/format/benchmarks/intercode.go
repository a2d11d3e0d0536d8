package benchmarks

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// InterCode writes an object of the tasks that were tried, by their numbers, some of its scripts
// below logs and beside the settings:
//
//	{"0":{"environment":"ic_bash","dataset":"./data/nl2bash/nl2bash_fs_1.json","task_id":0,"query":"List ...",
//	  "turn_history":{"actions":["ls"],"observations":["a.py"],"rewards":[1.0],"valid_action":[true]},
//	  "summary":{"max_reward":1.0,"max_reward_idx":0,"turns_taken":1,"turns_max":10}}}
//
// What its environments keep themselves has the actions with their observations:
//
//	{"environment":"ic_sql","query":"...","trajectory":[{"action":"show tables;","observation":"..."}],"reward":0.0}
func showsInterCode(s *record.Shape) bool {
	if s.Array {
		return false
	}
	n := s.First()
	if isInterCodeTask(n) {
		return true
	}
	for _, m := range interCodeTasks(n) {
		return isInterCodeTask(m)
	}
	return false
}

// isInterCodeTask reports whether n is what came of a task.
func isInterCodeTask(n record.Node) bool {
	return n.Has("environment", "query") &&
		(n.At("turn_history", "actions").IsList() || n.At("trajectory").IsList())
}

// interCodeTasks are the tasks of a file, in the order of their numbers.
func interCodeTasks(n record.Node) []record.Node {
	if n.At("logs").IsObject() {
		n = n.At("logs")
	}
	type task struct {
		number string
		node   record.Node
	}
	var tasks []task
	for number, m := range n.Members() {
		if m.IsObject() {
			tasks = append(tasks, task{number, m})
		}
	}
	slices.SortStableFunc(tasks, func(a, b task) int {
		return cmp.Or(cmp.Compare(len(a.number), len(b.number)), cmp.Compare(a.number, b.number))
	})
	nodes := make([]record.Node, len(tasks))
	for i, t := range tasks {
		nodes[i] = t.node
	}
	return nodes
}

// InterCode decodes results of InterCode.
var InterCode = record.Decoder{Shows: showsInterCode, Read: readInterCode, Empty: "holds no tasks",
	Hint: "a log of InterCode has them by their numbers"}

// readInterCode makes a trial of each task.
func readInterCode(in *record.Input) error {
	return in.Records(func(n record.Node, line int) error {
		tasks := []record.Node{n}
		if !isInterCodeTask(n) {
			tasks = interCodeTasks(n)
		}
		for _, task := range tasks {
			if !isInterCodeTask(task) {
				in.Notes.Skip(record.NoResults)
				continue
			}
			if err := in.EmitTrace(readInterCodeTask(in, task, line)); err != nil {
				return err
			}
		}
		return nil
	})
}

// readInterCodeTask makes the trial of a task. It is solved where the best reward is 1, as the
// benchmark counts.
func readInterCodeTask(in *record.Input, n record.Node, line int) *record.Trace {
	t := record.NewTrace(in, line)
	t.Scenario = interCodeName(n)
	t.SetTags("", n, "environment", "dataset", "hardness", "gold")
	t.SetTags("summary", n.At("summary"), "max_reward_idx", "turns_taken", "turns_max", "num_submissions")
	t.SetInput(n.At("query"))
	tool := strings.TrimPrefix(n.At("environment").Text(), "ic_")
	history := n.At("turn_history")
	thoughts, observations := history.Either("thoughts", "steps").List(), history.At("observations").List()
	valid := history.At("valid_action").List()
	for i, action := range history.At("actions").List() {
		if i >= len(observations) && action.Text() == "blocked" {
			t.Error = record.NewCause("blocked", "the model gave no answer")
			break
		}
		addInterCodeTurn(t, tool, at(thoughts, i), action, at(observations, i), at(valid, i))
	}
	for _, turn := range n.At("trajectory").List() {
		action, observation := turn.At("action"), turn.At("observation")
		if pair := turn.List(); len(pair) == 2 {
			action, observation = pair[0], pair[1]
		}
		addInterCodeTurn(t, tool, record.Node{}, action, observation, record.Node{})
	}
	judgeByReward(t, n.At("summary", "max_reward").OrElse(n.At("reward")).Number())
	return t
}

// interCodeName names a task by its data set and its number there: each data set counts from 0.
func interCodeName(n record.Node) string {
	set := strings.TrimSuffix(path.Base(n.At("dataset").Text()), ".json")
	if set == "." || set == "" {
		set = n.At("environment").Text()
	}
	if number := n.Either("task_id", "query_idx").Text(); number != "" {
		return record.ValidText(set + "/" + number)
	}
	return record.ValidText(set)
}

// at is the element of a list, absent beyond its end.
func at(list []record.Node, i int) record.Node {
	if i < len(list) {
		return list[i]
	}
	return record.Node{}
}

// addInterCodeTurn adds a command, with the thought before it. An action that was not valid
// could not be executed.
func addInterCodeTurn(t *record.Trace, tool string, thought, action, observation, valid record.Node) {
	text := action.Text()
	t.AddAnswer(record.Answer{Text: thought.Words(), CallsTools: true})
	switch word, _, _ := strings.Cut(text, " "); word {
	case "submit", "skip":
		tool = word
	}
	step := t.AddEndedCall(record.Call{Tool: tool, Arguments: record.Node{Value: map[string]any{"command": text}}})
	step.Output = observation.Raw()
	if valid.Exists() && !valid.IsTrue() {
		step.Error = record.StepError(observation.Words())
	}
	t.Output = record.RawText(text)
}
