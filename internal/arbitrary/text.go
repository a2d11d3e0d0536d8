package arbitrary

import (
	"fmt"
	"strings"
)

// Where a text has no limit, it has up to so many characters, and one in twelve is long; both are chosen.
const (
	usualText = 12
	longText  = 1_000
)

// formats are texts of the formats of JSON Schema. The functions draw digits.
var formats = map[string]func(digits func(n int) int) string{
	"date": func(n func(int) int) string { return fmt.Sprintf("20%02d-%02d-%02d", n(100), 1+n(12), 1+n(28)) },
	"time": func(n func(int) int) string { return fmt.Sprintf("%02d:%02d:%02dZ", n(24), n(60), n(60)) },
	"date-time": func(n func(int) int) string {
		return fmt.Sprintf("20%02d-%02d-%02dT%02d:00:00Z", n(100), 1+n(12), 1+n(28), n(24))
	},
	"duration": func(n func(int) int) string { return fmt.Sprintf("P%dD", n(30)) },
	"email":    func(n func(int) int) string { return fmt.Sprintf("a%d@example.org", n(1000)) },
	"hostname": func(n func(int) int) string { return fmt.Sprintf("h%d.example.org", n(1000)) },
	"ipv4":     func(n func(int) int) string { return fmt.Sprintf("192.0.2.%d", n(256)) },
	"ipv6":     func(n func(int) int) string { return fmt.Sprintf("2001:db8::%x", n(65536)) },
	"uri":      func(n func(int) int) string { return fmt.Sprintf("https://example.org/%d", n(1000)) },
	"uuid": func(n func(int) int) string {
		return fmt.Sprintf("%04x%04x-%04x-4%03x-8%03x-%04x%04x%04x", n(65536), n(65536), n(65536), n(4096), n(4096), n(65536),
			n(65536), n(65536))
	},
	"json-pointer": func(n func(int) int) string { return fmt.Sprintf("/a/%d", n(10)) },
	"regex":        func(n func(int) int) string { return fmt.Sprintf("a{%d}", n(10)) },
}

// text draws a text of a format or a pattern, or of any letters within its length.
func (d *drawing) text(schema map[string]any) any {
	least := whole(schema["minLength"], 0)
	if format, ok := schema["format"].(string); ok && formats[format] != nil {
		return formats[format](d.random.IntN)
	}
	if pattern, ok := schema["pattern"].(string); ok {
		if text, ok := d.matching(pattern, least); ok {
			return text
		}
	}
	most := least + usualText
	if d.random.IntN(12) == 0 {
		most = least + longText
	}
	size := d.between(least, whole(schema["maxLength"], most))
	letters := []rune("abcdefghij 0123456789")
	if d.random.IntN(6) == 0 {
		letters = []rune("aZ9é漢😀'\"\\<>&{}\n\t/-.")
	}
	var b strings.Builder
	for range size {
		b.WriteRune(letters[d.random.IntN(len(letters))])
	}
	return b.String()
}
