package wire

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
)

// Provider is whose form of address an agent uses: a word of the route's paths.
type Provider string

// The providers.
const (
	OpenAI    Provider = "openai"
	Azure     Provider = "azure"
	Anthropic Provider = "anthropic"
	Gemini    Provider = "gemini"
	Ollama    Provider = "ollama"
)

// provider is what is known of one.
type provider struct {
	name     Provider
	upstream string // by default; "" is none
	base     string // what the clients' base address ends with
	maybe    string // what it ends with for some clients, and what others add to it
	bases    []string
	keys     []string // variables with the key
	header   string   // in which the key goes
	scheme   string   // before the key, in the header
}

var providers = []provider{
	{
		OpenAI, "https://api.openai.com/v1", "/v1", "",
		[]string{"OPENAI_BASE_URL", "OPENAI_API_BASE"}, []string{"OPENAI_API_KEY", "CODEX_API_KEY"}, "Authorization",
		"Bearer ",
	},
	{Azure, "", "", "", []string{"AZURE_OPENAI_ENDPOINT"}, []string{"AZURE_OPENAI_API_KEY"}, "Api-Key", ""},
	{
		// Anthropic's own clients add /v1/messages to it, the AI SDK's /messages.
		Anthropic, "https://api.anthropic.com", "", "/v1",
		[]string{"ANTHROPIC_BASE_URL"}, []string{"ANTHROPIC_API_KEY"}, "X-Api-Key", "",
	},
	{
		Gemini, "https://generativelanguage.googleapis.com", "", "",
		[]string{"GOOGLE_GEMINI_BASE_URL"}, []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, "X-Goog-Api-Key", "",
	},
	{Ollama, "http://127.0.0.1:11434", "", "", []string{"OLLAMA_HOST"}, nil, "", ""},
}

// path is what is asked of the server, behind its base address, by what a client asked behind the provider's name.
func (p provider) path(asked string) string {
	path := "/" + strings.TrimPrefix("/"+asked, p.base+"/")
	if path != "/" && !strings.HasPrefix(path, p.maybe+"/") {
		path = p.maybe + path
	}
	return path
}

// Providers are the names of all providers.
func Providers() (names []Provider) {
	for _, p := range providers {
		names = append(names, p.name)
	}
	return names
}

// providerOf finds a provider by its name.
func providerOf(name Provider) (provider, bool) {
	for _, p := range providers {
		if p.name == name {
			return p, true
		}
	}
	return provider{}, false
}

// RootVariable has the address of a route, to which the name of a provider is added.
const RootVariable = "TRIBUNAL_WIRE"

// Upstreams are the servers to which requests go, by their providers.
type Upstreams map[Provider]*url.URL

// UpstreamsOf are the servers that named says; of providers that it does not name, those of the variables that their
// clients read in the environment (nil has none), or else the providers' own. An address has what a client's base
// address has, such as /v1 at the end of OpenAI's.
func UpstreamsOf(named map[Provider]string, lookup func(string) (string, bool)) (Upstreams, error) {
	all := Upstreams{}
	for _, p := range providers {
		address, from := named[p.name], "upstream."+string(p.name)
		for _, variable := range p.bases {
			if lookup == nil || address != "" {
				break
			}
			if value, ok := lookup(variable); ok {
				address, from = value, variable
			}
		}
		if address = cmp.Or(address, p.upstream); address == "" {
			continue
		}
		if p.name == Ollama && !strings.Contains(address, "://") { // HOST:PORT, as its own variable has it
			address = "http://" + address
		}
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, fmt.Errorf("%s is no address of a server: %q (such as https://models.example.com/v1)", from, address)
		}
		u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), p.maybe)
		all[p.name] = u
	}
	return all, nil
}
