package simulation

// Models returns agents with the tokens, the cost and the latency of AgentAssay's Table
// 4. They pass every trial, as those of its measurements did ("remained at 100%"); what
// the table does not say of them, such as tools, they do not have.
func Models() []Agent {
	model := func(name string, tokens Spread, cost float64, seconds Spread) Agent {
		return Agent{Name: name, PassRate: 1, Tokens: tokens, CostUSD: cost, Seconds: seconds}
	}
	return []Agent{
		model("GPT-5.2", Spread{112, 23}, 0.0009, Spread{2.295, 0.465}),
		model("Sonnet 4.6", Spread{142, 31}, 0.0018, Spread{2.920, 3.820}),
		model("Mistral-Large-3", Spread{561, 346}, 0.0033, Spread{4.422, 3.034}),
		model("Llama-4-Maverick", Spread{106, 20}, 0, Spread{0.613, 0.180}),
		model("Phi-4", Spread{116, 64}, 0, Spread{12.874, 11.877}),
	}
}

// Domains returns an agent for each of the three kinds of scenarios of AgentAssay's
// Table 7, with the table's cost of 100 trials. The paper does not say what they do:
// tokens are what the cost buys at the mean price of Table 4's three paid models,
// $0.0060 for 815 tokens; their spread, the tools and the seconds are made up, and
// different.
func Domains() []Agent {
	const tokensPerUSD = (112 + 142 + 561) / (0.0009 + 0.0018 + 0.0033)
	domain := func(name string, costOf100, variation float64, seconds Spread, tools ...ToolUse) Agent {
		tokens := costOf100 / 100 * tokensPerUSD
		return Agent{
			Name: name, PassRate: 1, CostUSD: costOf100 / 100, Seconds: seconds,
			Tokens: Spread{tokens, variation * tokens}, Tools: tools,
		}
	}
	return []Agent{
		domain("e-commerce", 0.170, 0.25, Spread{2.5, 1},
			ToolUse{"search_catalog", 2}, ToolUse{"get_stock", 1.5}, ToolUse{"add_to_cart", 1}, ToolUse{"check_out",
				0.8}),
		domain("customer support", 0.372, 0.60, Spread{4.5, 3},
			ToolUse{"search_articles", 3}, ToolUse{"find_customer", 1}, ToolUse{"escalate", 0.15}),
		domain("code generation", 0.174, 0.40, Spread{6, 4},
			ToolUse{"read_file", 5}, ToolUse{"edit_file", 2}, ToolUse{"run_tests", 2.5}),
	}
}
