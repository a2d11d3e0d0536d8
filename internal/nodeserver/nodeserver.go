// Package nodeserver starts servers that are written for Node with packages that others wrote, for tests.
package nodeserver

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Fill writes files into a folder by their names, and lets Node find the modules there.
func Fill(folder, modules string, files map[string]string) error {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return os.Symlink(modules, filepath.Join(folder, "node_modules"))
}

// Start runs a script of the folder, and returns the first line that it prints, which is its address. The function
// closes its standard input, at whose end it ends, and waits for that.
func Start(folder, script string) (address string, stop func() error, err error) {
	command := exec.Command("node", script)
	command.Dir, command.Stderr = folder, os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := command.Start(); err != nil {
		return "", nil, err
	}
	stop = func() error { return errors.Join(in.Close(), command.Wait()) }
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", nil, errors.Join(err, stop())
	}
	return strings.TrimSpace(line), stop, nil
}
