package running

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// FleetProgram is the program that has all commands of this one, and a fleet besides.
const FleetProgram = "tribunal-fleet"

// becomeFleet puts the program with a fleet in the place of this one: with the same arguments, streams, signals and
// exit code. It returns where there is none.
func becomeFleet(a *world.World) error {
	program, err := findFleet()
	if err != nil || !a.OwnProcess {
		return problem.Unavailable("a fleet needs the program "+FleetProgram+", which is neither beside this one nor in PATH",
			"in a clone of tribunal: go build -o "+besideThis()+" ./cmd/tribunal-fleet")
	}
	return become(program, a.Args)
}

// besideThis is where the program is looked for first: beside this one. Where that is not known it is its name alone.
func besideThis() string {
	name := FleetProgram
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	own, err := os.Executable()
	if err == nil {
		own, err = filepath.EvalSymlinks(own)
	}
	if err != nil {
		return name
	}
	return filepath.Join(filepath.Dir(own), name)
}

// findFleet looks for the program beside this one, and then in PATH.
func findFleet() (string, error) {
	beside := besideThis()
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() && filepath.IsAbs(beside) {
		return beside, nil
	}
	found, err := exec.LookPath(filepath.Base(beside))
	if errors.Is(err, exec.ErrDot) {
		return "", err
	}
	return found, err
}
