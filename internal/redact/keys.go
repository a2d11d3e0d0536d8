package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// keys is what keys look like, of services whose keys can be told by their looks, as those services
// document them.
var keys = lazy.Regexp(strings.Join([]string{
	// OpenAI, Anthropic (sk-ant-), OpenRouter (sk-or-), DeepSeek
	`\bsk-[A-Za-z0-9_-]{20,}`,
	`\bgh[pousr]_[A-Za-z0-9]{36,}`,                                       // GitHub
	`\bgithub_pat_[A-Za-z0-9_]{22,}`,                                     // GitHub, fine-grained
	`\bgl(?:pat|rt|dt|ptt|cbt)-[A-Za-z0-9_.-]{20,}`,                      // GitLab
	`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`,                                      // AWS
	`\bAIza[0-9A-Za-z_-]{35}`,                                            // Google
	`\bGOCSPX-[0-9A-Za-z_-]{28}`,                                         // Google, OAuth
	`\bxox[abeoprs]-[0-9A-Za-z-]{10,}`,                                   // Slack
	`\bxapp-[0-9]-[0-9A-Za-z-]{20,}`,                                     // Slack, app
	`\b[rs]k_(?:live|test)_[0-9A-Za-z]{16,}`,                             // Stripe
	`\bwhsec_[0-9A-Za-z+/=]{24,}`,                                        // Stripe, webhooks
	`\bnpm_[0-9A-Za-z]{36}`,                                              // npm
	`\bpypi-AgEIcHlwaS5vcmc[0-9A-Za-z_-]{50,}`,                           // PyPI
	`\bhf_[0-9A-Za-z]{30,}`,                                              // Hugging Face
	`\br8_[0-9A-Za-z]{37}`,                                               // Replicate
	`\bgsk_[0-9A-Za-z]{40,}`,                                             // Groq
	`\bpplx-[0-9A-Za-z]{40,}`,                                            // Perplexity
	`\bxai-[0-9A-Za-z]{60,}`,                                             // xAI
	`\bdop_v1_[0-9a-f]{64}`,                                              // DigitalOcean
	`\bSG\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}`,                         // SendGrid
	`\b(?:lin_api|lsv2_(?:pt|sk)|sk-lf|pk-lf)[-_][0-9A-Za-z_-]{30,}`,     // Linear, LangSmith, Langfuse
	`\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}`, // JSON Web Tokens (RFC 7519)
	`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`, // RFC 7468
}, "|"))

// marks are what keys begin with or hold: a text with none of them has none of the keys. Those of several letters and
// figures alone, as they are in base64 by chance, are as long as they can be.
var marks = [...]string{
	"sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "glrt-", "gldt-", "glptt-", "glcbt-", "AKIA",
	"ASIA",
	"AIza", "GOCSPX-", "xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-", "k_live_", "k_test_",
	"whsec_", "npm_", "pypi-AgEIcHlwaS5vcmc", "hf_", "r8_", "gsk_", "pplx-", "xai-", "dop_v1_", "SG.", "lin_api",
	"lsv2_", "pk-lf", ".eyJ", "PRIVATE KEY-----",
}

// hasMark reports whether a text may hold a key. It takes a small part of the time of a search for them.
func hasMark(text string) bool {
	for _, mark := range marks {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// keyShown stands in the place of a key.
const keyShown = "[redacted key]"

// encoded is a text that may be another one in base64 or in hexadecimal.
var encoded = lazy.Regexp(`[0-9A-Za-z+/_-]{28,}={0,2}`)

// withoutKeys removes what looks like a key, also in base64 and in hexadecimal.
func withoutKeys(text string) string {
	if !longRun(text) && !strings.Contains(text, "PRIVATE KEY") {
		return text
	}
	if hasMark(text) {
		text = keys().ReplaceAllString(text, keyShown)
	}
	return encoded().ReplaceAllStringFunc(text, func(run string) string {
		if holdsKey(run) {
			return keyShown
		}
		return run
	})
}

// HasKey reports whether a text has what looks like a key, also in base64 and in hexadecimal.
func HasKey(text string) bool { return withoutKeys(text) != text }

// InJSON reports whether a string, a name or a number in a text of JSON may have what looks like a key: it is sure
// where it says no.
func InJSON(text []byte) bool {
	// Other escapes stand for characters of no key, and a run of those of a key is one in the text too.
	if escapedKey().Match(text) {
		return true
	}
	return (longRun(text) || bytes.Contains(text, []byte("PRIVATE KEY"))) &&
		(hasMark(string(text)) || encoded().Match(text))
}

// escapedKey are the escapes of JSON that may stand for characters of keys.
var escapedKey = lazy.Regexp(`\\(?:/|u00[2-7])`)

// ofKeys are the characters of keys.
var ofKeys = func() (is [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+/=") {
		is[c] = true
	}
	return is
}()

// longRun reports whether a text has as many characters of keys in a row as the shortest key, one of Slack. Most texts
// have not, and are not searched for every kind of key.
func longRun[T string | []byte](text T) bool {
	const shortest = len("xoxb-") + 10
	// A run of so many has one at every place of so many: from there it is looked back for where the run began.
	for end := shortest - 1; end < len(text); {
		at := end
		for at > end-shortest && ofKeys[text[at]] {
			at--
		}
		if at == end-shortest {
			return true
		}
		end = at + shortest
	}
	return false
}

// holdsKey reports whether a text is another one, encoded, in which there is a key.
func holdsKey(run string) bool {
	bare := strings.TrimRight(run, "=")
	for _, decode := range []func(string) ([]byte, error){
		base64.RawStdEncoding.DecodeString, base64.RawURLEncoding.DecodeString, hex.DecodeString,
	} {
		if inner, err := decode(bare); err == nil && hasMark(string(inner)) && keys().Match(inner) {
			return true
		}
	}
	return false
}
