package program

import (
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }
