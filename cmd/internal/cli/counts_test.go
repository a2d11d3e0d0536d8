package cli

import (
	"context"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// Who asks on behalf of an agent reads files of a folder, and no database.
func TestGuestsAskNoDatabase(t *testing.T) {
	for _, args := range []string{
		"verdict postgres://127.0.0.1:1/x?query=a --threshold 0.5",
		"verdict --counts postgres://127.0.0.1:1/x?query=a --threshold 0.5",
		"compare --counts postgres://127.0.0.1:1/x?query=a --baseline-variant a --candidate-variant b",
	} {
		app := App{Guest: &world.Guest{Spend: func(world.GuestLook) (int, error) { return 1, nil }}}
		code, _, stderr := tribunal(context.Background(), app, strings.Fields(args)...)
		if code != ExitUsage || !strings.Contains(stderr, "databases are not asked here") {
			t.Errorf("%s: exit code %d: %s", args, code, stderr)
		}
	}
}
