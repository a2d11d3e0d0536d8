package main

import (
	"slices"
	"testing"
)

// TestSyntaxes reads what clients ask from lines as their sources have them.
func TestSyntaxes(t *testing.T) {
	for name, c := range map[string]struct {
		syntax *syntax
		file   string
		text   string
		want   []string
	}{
		"stainless": {stainless, "responses.mjs", "this._client.post('/responses', { body });\n" +
			"this._client.get(path `/responses/${responseID}?beta=true`, {});\n" +
			"this._client.getAPIList('/files', Page, { query });\nthis._client.getAPIList(path `/x/${id}`, Page, { method: " +
			"'post' });\n" +
			"const endpoint = '/responses';\n",
			[]string{"POST\t/responses", "GET\t/responses/{}", "GET\t/files", "POST\t/x/{}", "GET\t/responses"}},
		"stainless in Go": {stainlessGo, "file.go", `path := fmt.Sprintf("v1/files/%s", url.PathEscape(id))
			err = requestconfig.ExecuteNewRequest(ctx, http.MethodDelete, path, nil, &res, opts...)
			path := "responses"
			cfg, err := requestconfig.NewRequestConfig(ctx, http.MethodPost, path, body)
			cfg, err = requestconfig.NewRequestConfig(ctx, http.MethodGet, "responses", nil)
			cfg, err = requestconfig.NewRequestConfig(ctx, http.MethodPost, "", nil)`,
			[]string{"DELETE\t/files/{}", "POST\t/responses", "GET\t/responses"}},
		"speakeasy": {speakeasy, "ocr.js", `const path = pathToFunc("/v1/libraries/{library_id}#stream")(pathParams);
			client._createRequest(context, { method: "PUT", path: path })`, []string{"PUT\t/libraries/{}"}},
		"fern": {fern, "Client.js", "yield ((_d = this._options.fetcher) !== null && _d)({\n" +
			"url: core.url.join((yield x), `v1/models/${core.url.encodePathParam(model)}`),\nmethod: \"GET\",",
			[]string{"GET\t/models/{}"}},
		"the AI SDK": {aiSDK, "index.js", "const url = this.config.url({ path: \"/responses\", modelId });\n" +
			"await (0, utils.postJsonToApi)({ url, body });\nawait postJsonToApi({\n\turl: this.config.url({\n\t\tpath: \"/" +
			"embeddings\",\n" +
			"await getFromApi({ url: image.url });\nconst url = `${baseURL}/interactions/${encodeURIComponent(id)}/cancel`;\n" +
			"fetch(url, { method: \"POST\" })", []string{"POST\t/responses", "POST\t/embeddings",
			"POST\t/interactions/{}/cancel"}},
		"genai": {genai, "index.mjs", "class Caches extends BaseModule {\npath = formatMap('{name}', body['_url']);\n" +
			"httpMethod: 'DELETE',\n" +
			"class Models extends BaseModule {\npath = formatMap('{model}:streamGenerateContent?alt=sse', body['_url']);\n" +
			"httpMethod: 'POST',",
			[]string{"DELETE\t/cachedContents/{}", "POST\t/models/{}:streamGenerateContent"}},
		"genai in Go": {genaiGo, "caches.go", `if vertex { path, err = InternalFormatMap("None", urlParams) } else {
			path, err = InternalFormatMap("{name}", urlParams) }
			responseMap, err = sendRequest(ctx, m.apiClient, path, http.MethodPatch, body, httpOptions)`,
			[]string{"PATCH\t/cachedContents/{}"}},
		"ollama": {ollama, "browser.mjs", "return this.processStreamableRequest(\"chat\", request);\n" +
			"await del(\n      this.fetch,\n      `${this.config.host}/api/delete`,", []string{"POST\t/api/chat",
			"DELETE\t/api/delete"}},
		"ollama in Go": {ollamaGo, "client.go", `c.do(ctx, http.MethodPost, fmt.Sprintf("/api/blobs/%s", digest), r, nil)
			c.stream(ctx, http.MethodPost, "/api/chat", req, f)`, []string{"POST\t/api/blobs/{}", "POST\t/api/chat"}},
	} {
		got, err := c.syntax.operations(c.file, c.text)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v, and not %q", name, got, err, c.want)
		}
	}
}

// TestRequestsThatAreNotRead checks that a request in words that are not known is an error, and none that is left out.
func TestRequestsThatAreNotRead(t *testing.T) {
	for name, c := range map[string]struct {
		syntax *syntax
		text   string
	}{
		"a variable": {stainless, "this._client.post(where, { body });"},
		"no path":    {stainlessGo, "ExecuteNewRequest(ctx, http.MethodGet, path, nil)"},
		"another request": {ollama, "await post(this.fetch, `${this.config.host}/api/${name}/x`); y(`${" +
			"this.config.host}/api/x`)"},
	} {
		if got, err := c.syntax.operations("x.go", c.text); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}
