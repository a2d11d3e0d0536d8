package main

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"strings"
)

// syntax is how the sources of a client name what they ask. A text is read from its beginning to its end: paths that
// were named since the last request are those of the next.
type syntax struct {
	// asks finds, by the names of groups, path (of the next request), method (which makes one), both of a request at
	// once, or a module, the names in which are told apart by it.
	asks *regexp.Regexp
	// every finds what makes requests in some way: as many as asks finds, or there is one that is not read.
	every *regexp.Regexp
	// resources are the paths of resources that a module has by their names alone.
	resources map[string]string
}

// operations are the methods and paths of requests in a source.
func (s *syntax) operations(file, text string) (all []string, err error) {
	var pending []string
	module, requests := strings.TrimSuffix(path.Base(file), path.Ext(file)), 0
	for _, at := range s.asks.FindAllStringSubmatchIndex(text, -1) {
		found := map[string]string{}
		for i, name := range s.asks.SubexpNames() {
			if at[2*i] >= 0 && name != "" {
				found[strings.TrimRight(name, "1234")] = text[at[2*i]:at[2*i+1]]
			}
		}
		if found["module"] != "" {
			module = strings.ToLower(found["module"])
		}
		if s == ollama && strings.HasPrefix(text[at[0]:], "process") {
			found["path"] = "/api/" + found["path"]
		}
		if p := found["path"]; p != "" && p != "None" {
			pending = append(pending, p)
		}
		method := strings.ToUpper(cmp.Or(found["method"], found["socket"]))
		if method == "" {
			continue
		}
		requests++
		if found["socket"] != "" {
			method = "GET"
		}
		if method == "GETAPILIST" {
			method = listMethod(text[at[1]:])
		}
		method = cmp.Or(map[string]string{
			"POSTJSONTOAPI": "POST", "POSTFORMDATATOAPI": "POST", "POSTTOAPI": "POST", "GETFROMAPI": "GET", "DEL": "DELETE",
			"PROCESSSTREAMABLEREQUEST": "POST",
		}[method], method)
		for _, p := range pending {
			if p = s.template(module, p); p == "/" && method == "PUT" || strings.HasPrefix(p, "/generationConfig.") {
				continue // of no request
			}
			all = append(all, method+"\t"+p)
		}
		if s.every != nil && len(pending) == 0 {
			return nil, fmt.Errorf("byte %d: a request without a path that can be read", at[0])
		}
		pending = nil
	}
	if s.every == nil {
		return all, nil
	}
	if n := len(s.every.FindAllString(text, -1)); n != requests {
		return nil, fmt.Errorf("%d of %d requests can be read", requests, n)
	}
	return all, nil
}

// listMethod is that of a list, which is asked by GET unless its options say otherwise.
func listMethod(rest string) string {
	call, _, _ := strings.Cut(rest, ";\n")
	if m := regexp.MustCompile(`method: '(\w+)'`).FindStringSubmatch(call); m != nil {
		return strings.ToUpper(m[1])
	}
	return "GET"
}

// variable is a part of a path that differs by request.
var variable = regexp.MustCompile(`\$\{[^}]*\}|\{[^}]*\}|%s`)

// template is a path with {} for each part that differs, behind the provider's base address.
func (s *syntax) template(module, p string) string {
	if at := strings.IndexAny(p, "?#"); at >= 0 {
		p = p[:at]
	}
	for name, resource := range s.resources {
		if m, one, ok := strings.Cut(name, " "); ok && m == module && strings.HasPrefix(p, one) {
			p = resource + strings.TrimPrefix(p, one)
			break
		}
	}
	p = "/" + strings.Trim(variable.ReplaceAllString(p, "{}"), "/")
	for _, version := range []string{"/v1/", "/v1beta/", "/{}/"} { // is of the base address, or of any
		if rest, ok := strings.CutPrefix(p, version); ok && (version != "/{}/" || s == genai || s == genaiGo) {
			return "/" + rest
		}
	}
	return p
}

// The syntaxes.
var (
	// Stainless makes clients such as this._client.post('/responses', ...), and path`/responses/${id}`.
	stainless = &syntax{
		asks: regexp.MustCompile("_client\\.(?P<method>get|post|put|patch|delete|getAPIList)\\(\\s*(?:path\\s*)?" +
			"[`'](?P<path>/[^`']*)[`']|(?:endpoint = '(?P<socket>(?P<path1>/[a-z/]+))|: '(?P<socket1>(?P<path2>/realtime)))'"),
		every: regexp.MustCompile(`_client\.(get|post|put|patch|delete|getAPIList|request)\(|endpoint = '/|: '/realtime`),
	}
	stainlessGo = &syntax{
		asks: regexp.MustCompile(`path :?= (?:requestconfig\.FormatPath\(|fmt\.Sprintf\()?"(?P<path>[^"]+)"|` +
			`(?:ExecuteNewRequest|NewRequestConfig)\(ctx, http\.Method(?P<method>\w+), (?:"(?P<path1>[^"]+)"|\w)`),
		every: regexp.MustCompile(`(ExecuteNewRequest|NewRequestConfig)\(ctx, http\.Method\w+, (\w|"[^"])`),
	}
	speakeasy = &syntax{
		asks:  regexp.MustCompile(`pathToFunc\("(?P<path>[^"]+)"\)|\bmethod: "(?P<method>[A-Z]+)"`),
		every: regexp.MustCompile(`\._createRequest\(`),
	}
	fern = &syntax{
		asks: regexp.MustCompile(
			"url\\.join\\(.*, (?:\"|`)(?P<path>[^\"`]+)(?:\"|`)\\),|\\bmethod: \"(?P<method>[A-Z]+)\""),
		every: regexp.MustCompile(`_options\.fetcher\) !== null`),
	}
	aiSDK = &syntax{
		asks: regexp.MustCompile("(?P<method>postJsonToApi|postFormDataToApi|postToApi|getFromApi)\\)?\\(\\{\\s*url(?:: " +
			"(?:this\\.config\\.url\\(\\{\\s*path: \"(?P<path>[^\"]+)\"|`\\$\\{[\\w.]*baseURL\\}(?P<path1>/[^`]*)`))?|" +
			"\\bpath: \"(?P<socket>(?P<path4>/realtime[^\"]*))\"|\\bpath: \"(?P<path2>/[^\"]+)\"|" +
			"[:=] `\\$\\{[\\w.]*baseURL\\}(?P<path3>/[^`]*)`|\\bmethod: \"(?P<method1>[A-Z]+)\""),
	}
	genaiResources = map[string]string{
		"caches {name}": "cachedContents/{}", "models {name}": "models/{}", "models {model}": "models/{}",
		"models {models_url}": "models", "batches {name}": "batches/{}", "tunings {name}": "tuningJobs/{}",
		"operations {operationName}": "operations/{}", "documents {name}": "fileSearchStores/{}/documents/{}",
		"documents {parent}": "fileSearchStores/{}", "filesearchstores {name}": "fileSearchStores/{}",
	}
	genai = &syntax{
		resources: genaiResources,
		asks: regexp.MustCompile("formatMap\\('(?P<path>[^']+)'|pathToFunc\\(\"(?P<path1>[^\"]+)\"\\)|" +
			"class (?P<module>\\w+) extends BaseModule|\\b(?:httpMethod: '|method: \")(?P<method>[A-Z]+)['\"]|" +
			"path: `(?P<path2>files/[^`]+)`|websocketBaseUrl\\}(?P<socket>(?P<path3>/ws/[^?`]+))"),
	}
	genaiGo = &syntax{
		resources: genaiResources,
		asks: regexp.MustCompile(`(?:[fF]ormatMap|fmt\.Sprintf|GenerateURL)\((?:[^",]*, [^",]*, )?"(?P<path>[^"%][^" ]*)"|` +
			`(?:sendRequest|sendStreamRequest|buildRequest|NewRequestWithContext)\(ctx,.*(?:http\.Method|")` +
			`(?P<method>(?i:get|post|put|patch|delete))\b`),
	}
	ollama = &syntax{
		asks: regexp.MustCompile("(?P<method>processStreamableRequest)\\(\"(?P<path>\\w+)\"|" +
			"await (?P<method1>get|post|put|del)\\(\\s*this\\.fetch,\\s*`\\$\\{this\\.config\\.host\\}/(?P<path1>[\\w/]+)`"),
		every: regexp.MustCompile(`\$\{this\.config\.host\}/\w+/\w+|this\.processStreamableRequest\(`),
	}
	ollamaGo = &syntax{
		asks: regexp.MustCompile(
			`c\.(?:do|stream)\(ctx, http\.Method(?P<method>\w+), (?:fmt\.Sprintf\()?"(?P<path>/[^"]*)"`),
		every: regexp.MustCompile(`c\.(do|stream)\(ctx, `),
	}
)
