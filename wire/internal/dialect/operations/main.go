// Operations lists every request that clients of models can make, from their sources, and compares it with the table
// that the wire goes by, operations.tsv:
//
//	go run ./wire/internal/dialect/operations             compares: what is in no row is an error
//	go run ./wire/internal/dialect/operations -latest     with the newest versions, for what is to come
//	go run ./wire/internal/dialect/operations -write      writes the table anew; what is new is refused
//
// It fetches the clients at the versions in the head of the table, with npm and go mod download. The class of a row is
// written by hand and kept: see [dialect.Class].
package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const table = "wire/internal/dialect/operations.tsv"

func main() {
	write := flag.Bool("write", false, "write the table anew")
	latest := flag.Bool("latest", false, "read the newest versions, and not those of the table")
	flag.Parse()
	if err := run(*write, *latest); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// client is a program's client of a provider.
type client struct {
	name     string // of the package
	provider string
	fetch    func(work, name, version string) (folder, found string, err error)
	files    string // those that ask, below the folder: a pattern of their names
	syntax   *syntax
}

var clients = []client{
	{"openai", "openai", fromNPM, `^(resources|realtime)/.*\.mjs$`, stainless},
	{"github.com/openai/openai-go/v3", "openai", fromGo, `^[^/]*\.go$`, stainlessGo},
	{"@ai-sdk/openai", "openai", fromNPM, `^dist/index\.js$`, aiSDK},
	{"@ai-sdk/openai-compatible", "openai", fromNPM, `^dist/index\.js$`, aiSDK},
	{"@mistralai/mistralai", "openai", fromNPM, `^esm/funcs/.*\.js$`, speakeasy},
	{"@ai-sdk/mistral", "openai", fromNPM, `^dist/index\.js$`, aiSDK},
	{"cohere-ai", "openai", fromNPM, `^(api/.*|(Base)?Client)\.js$`, fern},
	{"@anthropic-ai/sdk", "anthropic", fromNPM, `^resources/.*\.mjs$`, stainless},
	{"github.com/anthropics/anthropic-sdk-go", "anthropic", fromGo, `^[^/]*\.go$`, stainlessGo},
	{"@ai-sdk/anthropic", "anthropic", fromNPM, `^dist/index\.js$`, aiSDK},
	{"@google/genai", "gemini", fromNPM, `^dist/node/index\.mjs$`, genai},
	{"google.golang.org/genai", "gemini", fromGo, `^(interactions/)?[^/]*\.go$`, genaiGo},
	{"@ai-sdk/google", "gemini", fromNPM, `^dist/index\.js$`, aiSDK},
	{"ollama", "ollama", fromNPM, `^dist/browser\.mjs$`, ollama},
	{"github.com/ollama/ollama", "ollama", fromGo, `^api/client\.go$`, ollamaGo},
}

func run(write, latest bool) error {
	text, err := os.ReadFile(table)
	if err != nil && !write {
		return err
	}
	versions, classes := head(text)
	work, err := os.MkdirTemp("", "operations")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	rows := map[string][]string{} // clients, by provider, method and path
	for _, c := range clients {
		version := versions[c.name]
		if latest || version == "" {
			version = "latest"
		}
		folder, found, err := c.fetch(work, c.name, version)
		if err != nil {
			return fmt.Errorf("%s@%s: %w", c.name, version, err)
		}
		versions[c.name] = found
		all, err := c.operations(folder)
		if err != nil {
			return fmt.Errorf("%s@%s: %w", c.name, found, err)
		}
		fmt.Fprintf(os.Stderr, "%s@%s: %d operations\n", c.name, found, len(all))
		for _, o := range all {
			key := c.provider + "\t" + o
			rows[key] = append(rows[key], c.name)
		}
	}
	if write {
		return os.WriteFile(table, made(versions, classes, rows), 0o644)
	}
	var unlisted []string
	for key := range rows {
		if _, ok := classes[key]; !ok {
			unlisted = append(unlisted, strings.ReplaceAll(key, "\t", " ")+"  "+strings.Join(rows[key], " "))
		}
	}
	if slices.Sort(unlisted); unlisted != nil {
		return fmt.Errorf("%d operations are in no row of %s:\n%s", len(unlisted), table, strings.Join(unlisted, "\n"))
	}
	if want := made(versions, classes, rows); !latest && !bytes.Equal(want, text) {
		return fmt.Errorf("%s is not what the clients can ask: run this with -write", table)
	}
	return nil
}

// head reads the versions of clients, and the classes of rows.
func head(text []byte) (versions, classes map[string]string) {
	versions, classes = map[string]string{}, map[string]string{}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case f[0] == "client":
			versions[f[1]] = f[2]
		case len(f) == 5:
			classes[strings.Join(f[:3], "\t")] = f[3]
		}
	}
	return versions, classes
}

// made is the table. Rows of no client, which were added by hand, stay.
func made(versions, classes map[string]string, rows map[string][]string) []byte {
	var b bytes.Buffer
	for _, c := range clients {
		fmt.Fprintf(&b, "client\t%s\t%s\n", c.name, versions[c.name])
	}
	var keys []string
	for key := range rows {
		keys = append(keys, key)
	}
	for key := range classes {
		if rows[key] == nil {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		x, y := strings.Split(a, "\t"), strings.Split(b, "\t")
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[2], y[2]), cmp.Compare(x[1], y[1]))
	})
	for _, key := range keys {
		class, ok := classes[key]
		if !ok {
			class = "refused"
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\n", key, class, cmp.Or(strings.Join(rows[key], " "), "-"))
	}
	return b.Bytes()
}

// fromNPM fetches a package.
func fromNPM(work, name, version string) (folder, found string, err error) {
	folder = filepath.Join(work, name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", "", err
	}
	pack := exec.Command("npm", "pack", "--silent", "--prefer-offline", name+"@"+version)
	pack.Dir, pack.Stderr = folder, os.Stderr
	out, err := pack.Output()
	if err != nil {
		return "", "", err
	}
	if err := unpack(filepath.Join(folder, strings.TrimSpace(string(out))), folder); err != nil {
		return "", "", err
	}
	text, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err != nil {
		return "", "", err
	}
	var p struct{ Version string }
	err = json.Unmarshal(text, &p)
	return folder, p.Version, err
}

// unpack writes the files of a package below a folder.
func unpack(archive, folder string) error {
	packed, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	for files := tar.NewReader(z); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		_, name, _ := strings.Cut(h.Name, "/")
		if h.Typeflag != tar.TypeReg || name == "" {
			continue
		}
		text, err := io.ReadAll(files)
		if err != nil {
			return err
		}
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(name, text, 0o644); err != nil {
			return err
		}
	}
}

// fromGo fetches a module.
func fromGo(work, name, version string) (folder, found string, err error) {
	download := exec.Command("go", "mod", "download", "-json", name+"@"+version)
	download.Dir, download.Stderr = work, os.Stderr // no module of ours: its go.sum has none of these
	download.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := download.Output()
	if err != nil {
		return "", "", err
	}
	var m struct{ Dir, Version string }
	err = json.Unmarshal(out, &m)
	return m.Dir, m.Version, err
}

// operations are the methods and paths that a client asks, each once.
func (c client) operations(folder string) (all []string, err error) {
	asks := regexp.MustCompile(c.files)
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(folder, path)
		if name = filepath.ToSlash(name); entry.IsDir() || !asks.MatchString(name) || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found, err := c.syntax.operations(name, string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, found...)
		return nil
	})
	slices.Sort(all)
	all = slices.Compact(all)
	if err == nil && len(all) == 0 {
		err = errors.New("it asks nothing that can be read")
	}
	return all, err
}
