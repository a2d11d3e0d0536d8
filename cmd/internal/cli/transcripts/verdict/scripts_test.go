package verdict

import (
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

func TestScripts(t *testing.T) { clitest.Scripts(t) }
