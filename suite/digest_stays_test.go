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

// What is expected of an end is part of what digests are of, each setting of it.
func TestDigestHasWhatIsExpected(t *testing.T) {
	seen, tasks, judges := map[string]string{}, map[string]string{}, map[string]string{}
	for _, expect := range []string{
		"", ", expect: {status: completed}", ", expect: {status: errored}", ", expect: {status: errored, within: 5s}",
		", expect: {status: errored, within: 6s}",
	} {
		text := "version: 1\nname: tiny\nagent: {command: [./agent]}\ntest: {threshold: 0.9}\nlimits: none\n" +
			"scenarios: [{name: one" + expect + "}]\n"
		s, err := suite.Parse("tribunal.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for digest, names := range map[string]map[string]string{
			s.Digest(): seen, s.Task().Digest: tasks, s.Judges(s.Scenarios)["one"]: judges,
		} {
			if other, twice := names[digest]; twice {
				t.Errorf("%q has the digest of %q", expect, other)
			}
			names[digest] = expect
		}
	}
}
