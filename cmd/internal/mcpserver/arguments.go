package mcpserver

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// takes are the arguments of a tool, and which of them it cannot do without.
type takes struct{ all, required []string }

// checkNames answers a call that has other arguments than the tool takes with their names. The schema checks their
// values.
func (s *Server) checkNames(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		call, is := r.GetParams().(*mcp.CallToolParamsRaw)
		if !is {
			return next(ctx, method, r)
		}
		tool, known := s.arguments[call.Name]
		given := map[string]json.RawMessage{}
		if !known || len(call.Arguments) > 0 && json.Unmarshal(call.Arguments, &given) != nil {
			return next(ctx, method, r)
		}
		var problems []string
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if !slices.Contains(tool.all, name) {
				problems = append(problems, prose.Quote(name)+" is no argument")
			}
		}
		for _, name := range tool.required {
			if _, is := given[name]; !is {
				problems = append(problems, name+" is missing")
			}
		}
		if len(problems) == 0 {
			return next(ctx, method, r)
		}
		optional := slices.DeleteFunc(slices.Clone(tool.all), func(name string) bool {
			return slices.Contains(tool.required, name)
		})
		text := strings.Join(problems, ", ") + ": " + call.Name + " takes " + strings.Join(tool.required, ", ")
		if len(tool.required) > 0 && len(optional) > 0 {
			text += ", and if need be "
		}
		answer := textOf(text + strings.Join(optional, ", "))
		answer.IsError = true
		return answer, nil
	}
}
