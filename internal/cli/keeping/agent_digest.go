package keeping

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/looks"
	"github.com/tribunal-dev/tribunal/suite"
)

// AgentDigest identifies an agent by what the suite says of it, and by the content of the
// files that its command names: most agents change there.
func AgentDigest(s *suite.Suite) string {
	agents := map[string]suite.Agent{"": s.Agent}
	for _, v := range s.Variants {
		agents[v.Name] = v.Agent
	}
	var parts []string
	for name, agent := range agents {
		lines := append([]string{name}, agent.Settings()...)
		for _, word := range agent.Command {
			lines = append(lines, ProgramDigest(s.Resolve(word)))
		}
		parts = append(parts, looks.Digest(lines...))
	}
	slices.Sort(parts)
	return looks.Digest(parts...)
}

// mostProgramBytes bounds what is read of a program: more is known by its size.
const mostProgramBytes = 64 << 20

// ProgramDigest is that of a regular file; "" of anything else.
func ProgramDigest(file string) string {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, mostProgramBytes)); err != nil {
		return ""
	}
	return strings.Join([]string{hex.EncodeToString(h.Sum(nil)), fmt.Sprint(info.Size())}, " ")
}
