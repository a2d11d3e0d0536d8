package wire_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// Clients that others wrote read what is rendered, whole and in parts.
func TestClientsReadWhatIsRendered(t *testing.T) {
	folder := clientsFolder(t)
	s := httptest.NewServer(http.HandlerFunc(rendered))
	defer s.Close()
	environment := map[string]string{
		"OPENAI_BASE_URL": s.URL + "/v1", "ANTHROPIC_BASE_URL": s.URL, "GOOGLE_GEMINI_BASE_URL": s.URL, "OLLAMA_HOST": s.URL,
	}
	for _, client := range clients {
		for _, form := range []string{"whole", "streamed"} {
			t.Run(client+" "+form, func(t *testing.T) {
				c := converse(t, folder, environment, client, form)
				first, last := c.Turns[0], c.Turns[1]
				if first.Text != "Let me look." || len(first.Calls) != 2 || string(first.Calls[1].Arguments) != `{"id":8}` ||
					last.Text != "It is on its way." || len(last.Calls) != 0 {
					t.Errorf("the client has %+v", c)
				}
				if first.Input == nil || *first.Input != 1200 || first.Output == nil || *first.Output != 15 {
					t.Errorf("the client has other tokens: %+v", first)
				}
			})
		}
	}
}

// rendered answers with two calls, and once it has their results with a text.
func rendered(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	d := dialect.Of(r.URL.Path)
	asked, err := d.Asked(r.URL.Path, body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	asked.List = r.URL.Query().Get("alt") != "sse"
	a := dialect.Answer{Text: "It is on its way."}
	if len(asked.Results) == 0 {
		a.Text = "Let me look."
		a.Calls = []dialect.Call{
			{ID: "call_1", Name: "look_up", Arguments: `{"id":7}`}, {ID: "call_2", Name: "look_up", Arguments: `{"id":8}`},
		}
	}
	a.Usage = dialect.Usage{Input: trial.Some[int64](1200), Output: trial.Some[int64](15)}
	kind, parts := d.Render("id_1", a, asked)
	w.Header().Set("Content-Type", kind)
	for _, p := range parts {
		_, _ = w.Write(p)
	}
}
