package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/wire"
)

// Server is a server of tools: a program, or one at a URL.
type Server struct {
	Command []string          `json:",omitempty"`
	Env     map[string]string `json:",omitempty"`
	URL     string            `json:",omitempty"`
}

// ConfigVariable is the variable with the agent's configuration file.
const ConfigVariable = "TRIBUNAL_MCP_CONFIG"

// Check says what is wrong with a server.
func (s Server) Check() error {
	switch {
	case (len(s.Command) > 0) == (s.URL != ""):
		return fmt.Errorf("is a command or a url, one of them")
	case s.URL != "":
		if u, err := url.Parse(s.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return fmt.Errorf("%q is no address of a server (such as https://tools.example.com/mcp)", s.URL)
		}
	}
	return nil
}

// Configure lets an agent's servers stand on a route, and returns the configuration in the form in which agents read
// it: an object mcpServers with a command or a URL for each. The program is this one's file, which is started as
// PROGRAM wire mcp.
func Configure(route *wire.Route, servers map[string]Server, program string) ([]byte, error) {
	type entry struct {
		Type    string            `json:"type,omitempty"`
		Command string            `json:"command,omitempty"`
		Args    []string          `json:"args,omitempty"`
		Env     map[string]string `json:"env,omitempty"`
		URL     string            `json:"url,omitempty"`
	}
	all := map[string]entry{}
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		s := servers[name]
		if err := s.Check(); err != nil {
			return nil, fmt.Errorf("the MCP server %s: %w", name, err)
		}
		if s.URL != "" {
			to, _ := url.Parse(s.URL) // which was checked
			route.Mount(name, Proxy(name, to, route))
			all[name] = entry{Type: "http", URL: route.Tools(name)}
			continue
		}
		// Clients give servers a few variables of their own alone: the route is in the file.
		env := maps.Clone(s.Env)
		if env == nil {
			env = map[string]string{}
		}
		env[wire.RootVariable] = route.Root()
		args := append([]string{"wire", "mcp", "--name", name, "--"}, s.Command...)
		all[name] = entry{Command: program, Args: args, Env: env}
	}
	return json.MarshalIndent(map[string]any{"mcpServers": all}, "", "  ")
}

// IsName reports whether a text may be the name of a server.
func IsName(name string) bool {
	return name != "" && len(name) <= 64 && strings.Trim(name,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// Install lets an agent's servers stand on a route, whose environment then names the configuration file. The function
// removes the file.
func Install(route *wire.Route, servers map[string]Server) (file string, remove func(), err error) {
	program, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	text, err := Configure(route, servers, program)
	if err != nil {
		return "", nil, err
	}
	if file, err = writeConfig(text); err != nil {
		return "", nil, err
	}
	route.SetVariable(ConfigVariable, file)
	return file, func() { os.Remove(file) }, nil
}

// writeConfig writes a configuration for one user's eyes, and returns its file: the addresses in it are secret.
func writeConfig(text []byte) (file string, err error) {
	f, err := os.CreateTemp("", "tribunal-mcp-*.json")
	if err != nil {
		return "", err
	}
	if _, err := f.Write(text); err != nil {
		f.Close()
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), f.Close()
}

// placeholder stands in an agent's command for its configuration file.
const placeholder = "{mcp_config}"

// Placed is a command with the file in the place of what stands for it.
func Placed(argv []string, file string) []string {
	placed := slices.Clone(argv)
	for i, word := range placed {
		placed[i] = strings.ReplaceAll(word, placeholder, file)
	}
	return placed
}
