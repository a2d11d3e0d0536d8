package process

import (
	"encoding/json"
	"strings"
	"testing"
)

// A program may print a secret as its own JSON library writes it.
func TestSecretsInJSON(t *testing.T) {
	const secret = "\"a<b/c\\dé\U0001F600\x7f"
	goes, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	s := newSecrets([]string{"KEY=" + secret}, []string{"KEY"})
	for writer, text := range map[string]string{
		"plain":                    secret,
		"Go":                       string(goes),
		"JavaScript":               "\"\\\"a<b/c\\\\dé\U0001F600\x7f\"",
		"Python":                   `"\"a<b/c\\d\u00e9\ud83d\ude00\u007f"`,
		"Python, without escaping": "\"\\\"a<b/c\\\\dé\U0001F600\x7f\"",
		"PHP":                      `"\"a<b\/c\\d\u00e9\ud83d\ude00` + "\x7f\"",
	} {
		if got := string(s.remove([]byte("{" + text + "}"))); strings.Contains(got, "a<b") || strings.Contains(got, "b/c") || strings.Contains(got, "00e9") || !strings.Contains(got, "[redacted KEY]") {
			t.Errorf("%s: %s", writer, got)
		}
	}
}
