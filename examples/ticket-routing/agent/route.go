package main

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// departments are told by words of a ticket, the first that fits.
var departments = []struct {
	name  string
	words []string
}{
	{"billing", []string{"payment", "invoice", "refund"}},
	{"shipping", []string{"parcel", "delivery"}},
	{"account", []string{"password", "log in"}},
}

// slipRate is how often the agent sends a ticket to a department that it is not for.
const slipRate = 0.01

// answer routes the ticket, and says what that cost in tokens and dollars.
func answer(r request) *trial.Trial {
	random := rand.New(rand.NewPCG(r.Seed, uint64(r.Trial)))
	department := route(r.Input.Text)
	if random.Float64() < slipRate {
		department = "sales"
	}
	lookups := 1 + random.IntN(2)
	steps := []trial.Step{{Action: trial.Reason}}
	for range lookups {
		steps = append(steps, trial.Step{
			Action: trial.CallTool, Tool: "lookup_order", Output: trial.RawString("found"),
		})
	}
	steps = append(steps, trial.Step{Action: trial.Respond})

	input := int64(900 + 400*lookups + random.IntN(300))
	output := int64(40 + random.IntN(60))
	return &trial.Trial{
		Scenario:     r.Scenario,
		Index:        trial.Some(r.Trial),
		Outcome:      trial.Pass, // its own opinion; the evaluators decide
		Model:        "small",
		InputTokens:  trial.Some(input),
		OutputTokens: trial.Some(output),
		CostUSD:      trial.Some(math.Round(float64(input)*0.25+float64(output)*1.25) / 1e6),
		Steps:        steps,
		Output:       routed(department, 0.6+0.4*random.Float64()),
	}
}

// route returns the department that the words of a ticket tell.
func route(text string) string {
	text = strings.ToLower(text)
	for _, d := range departments {
		for _, word := range d.words {
			if strings.Contains(text, word) {
				return d.name
			}
		}
	}
	return "general"
}

// routed writes the agent's answer.
func routed(department string, confidence float64) trial.Raw {
	text, _ := json.Marshal(map[string]any{ // a text and a finite number
		"department": department,
		"confidence": math.Round(confidence*100) / 100,
		"reply":      "Your ticket is with " + department + ".",
	})
	return text
}
