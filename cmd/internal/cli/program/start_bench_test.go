package program

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/built"
)

// BenchmarkStart starts the program from nothing: to its end, or to the answer that a client of the Model Context
// Protocol waits for.
func BenchmarkStart(b *testing.B) {
	program := built.Tribunal(b)
	b.Run("version", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command(program, "version").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	const begin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"bench","version":"1"}}}`
	const list = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	b.Run("initialize", func(b *testing.B) { benchmarkServer(b, program, begin) })
	b.Run("tools", func(b *testing.B) { benchmarkServer(b, program, begin, list) })
}

// benchmarkServer starts a server of the Model Context Protocol and sends requests, each when the one before is
// answered. It is ended outside of the time.
func benchmarkServer(b *testing.B, program string, requests ...string) {
	folder := b.TempDir()
	for b.Loop() {
		server := exec.Command(program, "mcp", "--root", folder)
		in, out := pipes(b, server)
		if err := server.Start(); err != nil {
			b.Fatal(err)
		}
		answers := bufio.NewReader(out)
		for _, request := range requests {
			fmt.Fprintln(in, request)
			if answer, err := answers.ReadBytes('\n'); err != nil || !bytes.Contains(answer, []byte(`"result"`)) {
				b.Fatalf("%s %v", answer, err)
			}
		}
		b.StopTimer()
		in.Close()
		if err := server.Wait(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

func pipes(b *testing.B, command *exec.Cmd) (io.WriteCloser, io.ReadCloser) {
	b.Helper()
	in, err := command.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	return in, out
}
