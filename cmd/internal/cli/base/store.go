package base

import (
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// StoreFlag names a store; its variable is TRIBUNAL_STORE.
const StoreFlag = "store"

// StoreOf is the store of a command: by its flag, where it has one, or else by the variable of the flag.
func StoreOf(a *world.World, flags *pflag.FlagSet) app.StoreChoice {
	if flag := flags.Lookup(StoreFlag); flag != nil {
		return app.StoreChoice{Name: flag.Value.String()}
	}
	return app.StoreChoice{Name: a.Env.Get(world.EnvironmentName(StoreFlag))}
}
