package app

import (
	"os"
	"testing"
)

// A repository that the machine's folder for such files may lie in is none of the tests'.
func TestMain(m *testing.M) {
	if err := os.Setenv("GIT_CEILING_DIRECTORIES", os.TempDir()); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
