package forged

import (
	"bytes"
	"context"
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

var write = clitest.Write

// tribunal runs a command within this process.
func tribunal(args ...string) (code int, stdout, stderr string) {
	var out, problems bytes.Buffer
	code = cli.App{Stdout: &out, Stderr: &problems}.Run(context.Background(), args)
	return code, out.String(), problems.String()
}
