package ingest

// OpenLLMetry, of Traceloop, wrote messages as attributes with indexed names until
// its version 0.5, and so does Koog. The prompt repeats the whole conversation.

func indexedCompletion(s *span) []spanMessage {
	return messagesIn(s.attributes.unflatten("gen_ai.completion"))
}

func indexedPrompt(s *span) []spanMessage {
	return messagesIn(s.attributes.unflatten("gen_ai.prompt"))
}

// entityInput returns the arguments of a traced function: the named ones, if there
// are no others.
func entityInput(a spanAttributes) node {
	input := a["traceloop.entity.input"].parsed()
	if arguments := input.at("args"); arguments.isList() && arguments.length() == 0 && input.at("kwargs").length() > 0 {
		return input.at("kwargs")
	}
	return input
}
