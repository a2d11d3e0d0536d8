package mcp

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// members are those of a JSON object, as they are written.
type members map[string]jsontext.Value

// membersOf reads an object; !ok: it is none.
func membersOf(text []byte) (m members, ok bool) {
	lax := json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	return m, !dialect.Excessive(text) && json.Unmarshal(text, &m, lax) == nil && m != nil
}

// written is an object as a line of JSON.
func (m members) written() jsontext.Value {
	text, _ := json.Marshal(map[string]jsontext.Value(m), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	return text // of what was JSON
}

// within puts a text in the place of another that has blanks around it.
func within(text, trimmed, put []byte) []byte {
	at := bytes.Index(text, trimmed)
	return slices.Concat(text[:at], put, text[at+len(trimmed):])
}

// renamed is a call under the server's own name of its tool.
func renamed(text, trimmed []byte, name string) []byte {
	message, ok := membersOf(trimmed)
	if !ok {
		return text
	}
	parameters, ok := membersOf(message["params"])
	if !ok {
		return text
	}
	parameters["name"] = quoted(name)
	message["params"] = parameters.written()
	return within(text, trimmed, message.written())
}

// retold is the answer to a call with something else in the place of its result: of content that is a text the first
// part has what is told, and others are left out.
func retold(answer []byte, told *wire.ReplacedResult) []byte {
	message, ok := membersOf(answer)
	if !ok {
		return answer
	}
	result, ok := membersOf(message["result"])
	if !ok {
		return answer
	}
	var parts, kept []jsontext.Value
	_ = json.Unmarshal(result["content"], &parts, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	said := jsontext.Value(slices.Concat([]byte(`{"type":"text","text":`), quoted(told.Text), []byte(`}`)))
	if told.Text != "" {
		kept = append(kept, said)
	}
	for _, part := range parts {
		if p, ok := membersOf(part); ok && string(p["type"]) != `"text"` && told.Text != "" && !told.Failed {
			kept = append(kept, part)
		}
	}
	result["content"] = list(kept)
	if _, structured := result["structuredContent"]; structured {
		delete(result, "structuredContent")
		if _, ok := membersOf([]byte(told.Text)); ok && !told.Failed {
			result["structuredContent"] = jsontext.Value(told.Text)
		}
	}
	delete(result, "isError")
	if told.Failed {
		result["isError"] = jsontext.Value("true")
	}
	message["result"] = result.written()
	return message.written()
}

// list is a list of what was JSON.
func list(items []jsontext.Value) jsontext.Value {
	if items == nil {
		return jsontext.Value("[]")
	}
	text, _ := json.Marshal(items, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	return text
}

// reoffered is the answer to a list of tools, of which some have other names, or are left out.
func (s *session) reoffered(answer []byte) []byte {
	message, ok := membersOf(answer)
	if !ok {
		return answer
	}
	result, ok := membersOf(message["result"])
	if !ok {
		return answer
	}
	var tools []jsontext.Value
	if json.Unmarshal(result["tools"], &tools, jsontext.AllowInvalidUTF8(true),
		jsontext.AllowDuplicateNames(true)) != nil {
		return answer
	}
	names := make([]string, len(tools))
	for i, tool := range tools {
		if m, ok := membersOf(tool); ok {
			_ = json.Unmarshal(m["name"], &names[i]) // which stays ""
		}
	}
	changed := s.teller.ChangeTools(s.server, names)
	if len(changed) == 0 {
		return answer
	}
	var kept []jsontext.Value
	for i, tool := range tools {
		to, other := changed[names[i]]
		switch m, ok := membersOf(tool); {
		case !ok || !other:
			kept = append(kept, tool)
		case to != "":
			m["name"] = quoted(to)
			kept = append(kept, m.written())
		}
	}
	result["tools"] = list(kept)
	message["result"] = result.written()
	return message.written()
}
