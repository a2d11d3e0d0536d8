//go:build unix

package runner

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/confine"
	"github.com/tribunal-dev/tribunal/internal/leftovers"
	"github.com/tribunal-dev/tribunal/internal/process"
)

// The test binary is also the agent that the tests run: the variable says what it
// does.
const roleVariable = "RUNNER_TEST_ROLE"

func TestMain(m *testing.M) {
	confine.Main()
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(play(role, os.Args[1:]))
	}
	os.Exit(leftovers.After(m.Run))
}

func play(role string, arguments []string) int {
	switch role {
	case "echo":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "exit":
		code, _ := strconv.Atoi(arguments[0])
		fmt.Fprint(os.Stderr, "no luck")
		return code
	case "crash":
		return crash()
	case "beginner":
		return beginner(arguments)
	case "escapee":
		return escapee(arguments[0], arguments[1])
	case "asker":
		return asker()
	case "session":
		return session(arguments)
	case "up-runner":
		return upRunner(arguments)
	case "lines":
		return lines(arguments[0], arguments[1:]...)
	case "coin":
		return coin(arguments[0], len(arguments) > 1)
	}
	return 0
}

// program returns a command that plays the role.
func program(t testing.TB, role string, arguments ...string) process.Command {
	t.Helper()
	c, err := player(role, arguments...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func player(role string, arguments ...string) (process.Command, error) {
	self, err := os.Executable()
	return process.Command{Argv: append([]string{self}, arguments...),
		Environment: process.Environment{Set: map[string]string{
			roleVariable: role, "GORACE": "atexit_sleep_ms=0",
		}}}, err
}
