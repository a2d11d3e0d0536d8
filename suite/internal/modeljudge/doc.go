// Package modeljudge has a model judge what an agent answered.
//
// The main function is [New], which makes an evaluator of [Options]:
//
//	judge, err := modeljudge.New(modeljudge.Options{
//		Model: model.Settings{Provider: model.OpenAI, Name: "gpt-5-mini", Key: os.Getenv("OPENAI_API_KEY")},
//		Prompt: "Is the answer polite, and does it name the order?",
//	})
//
// The model names one of the levels, with a reason, as an object that is checked against a schema. What is no such
// object, and every other failure, is an error of the judging and never a pass. What the agent wrote stands in the
// prompt as one line of JSON without an angle bracket, between two tags that it therefore cannot write: see prompt.go.
//
//	judge.go   what a judge is, and how it is asked
//	prompt.go  what it is asked
//	levels.go  what it may say
//	cache.go   what it said before
package modeljudge
