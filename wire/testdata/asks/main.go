// Command asks asks a model four times, each time with what was said before, and then becomes the program that its
// arguments name.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "asks:", err)
		os.Exit(1)
	}
}

func run() error {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	said := []message{{"user", strings.Repeat("Where is my order 7? ", 200)}} // 4 KB
	for range 4 {
		body, err := json.Marshal(map[string]any{"model": "gpt-5-mini", "messages": said})
		if err != nil {
			return err
		}
		answer, err := http.Post(os.Getenv("OPENAI_BASE_URL")+"/chat/completions", "application/json", bytes.NewReader(body))
		if err != nil {
			return err
		}
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s, %v", answer.Status, text, err)
		}
		said = append(said, message{"assistant", string(text)}, message{"user", "And now?"})
	}
	return syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
}
