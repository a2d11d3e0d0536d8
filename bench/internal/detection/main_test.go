package detection

import (
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
)

func TestMain(m *testing.M) { refdata.Main(m) }
