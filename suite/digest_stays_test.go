package suite_test

import (
	"testing"

	"github.com/tribunal-dev/tribunal/suite"
)

// Journals and baselines name the suite by its digest: one that was written by a
// version before must still be found. The digest is what such a version gave the example.
func TestDigestStays(t *testing.T) {
	s, err := suite.Load("../examples/ticket-routing/tribunal.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const want = "sha256:5acc4411256dc1a6139403d7df23a54195f1599ddf53c770d78d1ad83f579179"
	if got := s.Digest(); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}
