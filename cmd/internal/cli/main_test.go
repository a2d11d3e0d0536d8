package cli

import (
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

var write = clitest.Write

type panicReader struct{}

func (panicReader) Read([]byte) (int, error) { panic("the reader is broken") }
