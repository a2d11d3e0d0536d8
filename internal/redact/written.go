package redact

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// Written are the ways in which programs write a text within JSON, URLs and headers: as it is, with the escapes of
// each, and in base64. It is for texts that are looked through as they pass; [Secrets] finds more.
func Written(text string) (forms []string) {
	quoted, _ := json.Marshal(text) // of a text, which never fails
	inJSON := strings.Trim(string(quoted), `"`)
	for _, form := range []string{
		text, inJSON, strings.ReplaceAll(inJSON, "/", `\/`), url.QueryEscape(text), url.PathEscape(text),
		base64.StdEncoding.EncodeToString([]byte(text)), base64.RawURLEncoding.EncodeToString([]byte(text)),
	} {
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	return forms
}
