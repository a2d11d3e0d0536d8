package architecture_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var updateDependencies = flag.Bool("update", false, "write the list of modules into docs/dependencies.md")

// moduleInfo is what go list says of a module that the program is built of.
type moduleInfo struct {
	Path, Version, Dir string
	Time               time.Time
	Main               bool
}

// licences are told by a sentence that only their text has, the longer ones first.
var licences = []struct{ name, sentence string }{
	{"Apache-2.0", "Apache License Version 2.0, January 2004"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"GPL", "GNU GENERAL PUBLIC LICENSE"},
	{"LGPL", "GNU LESSER GENERAL PUBLIC LICENSE"},
	{"OFL-1.1", "SIL OPEN FONT LICENSE Version 1.1"},
	{"FTL", "The FreeType Project LICENSE"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"},
	{"CC-BY-3.0", "Creative Commons Attribution 3.0"},
	{"CC-BY-4.0", "Creative Commons Attribution 4.0"},
	{"Unlicense", "This is free and unencumbered software released into the public domain"},
	{"BSD-3-Clause", "Neither the name of"},
	{"BSD-2-Clause", "Redistributions in binary form must reproduce the above copyright notice"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
}

// permissive are those under which the program may be given on with nothing but their texts.
var permissive = []string{"Apache-2.0", "CC-BY-4.0", "BSD-2-Clause", "BSD-3-Clause", "FTL", "ISC", "MIT", "OFL-1.1",
	"Unlicense"}

// What the program is built of, its licences and its age are on a page that is true.
func TestDependenciesAreOnTheirPage(t *testing.T) {
	const page = "../../docs/dependencies.md"
	modules := modulesOf(t, "./cmd/tribunal-fleet") // which has all of tribunal, and a fleet
	byLicence := map[string][]string{}
	for _, m := range modules {
		found := licencesIn(t, m.Dir)
		if len(found) == 0 {
			t.Errorf("%s has no licence that is known here", m.Path)
		}
		// The FreeType Project leaves the choice between its own licence and another one.
		for _, name := range found {
			if !slices.Contains(permissive, name) && !(name == "GPL" && slices.Contains(found, "FTL")) {
				t.Errorf("%s is under %s, which is not permissive", m.Path, name)
			}
		}
		licence := strings.Join(found, ", ")
		byLicence[licence] = append(byLicence[licence],
			fmt.Sprintf("%s %s (%s)", m.Path, m.Version, m.Time.Format("2006-01")))
	}
	var list strings.Builder
	for _, licence := range slices.Sorted(maps.Keys(byLicence)) {
		fmt.Fprintf(&list, "\n**%s**:\n%s.\n", licence, strings.Join(byLicence[licence], ",\n"))
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, have, found := strings.Cut(string(text), "\n## Modules by licence\n")
	if !found {
		t.Fatalf("%s has no list of modules", page)
	}
	if *updateDependencies {
		have = list.String()
		text = []byte(before + "\n## Modules by licence\n" + have)
		if err := os.WriteFile(page, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(list.String(), have); diff != "" {
		t.Errorf("%s is not what go list says; run go test ./internal/architecture -update and read the change\n%s", page,
			diff)
	}
	// What has not been released for long is named, with what it is for.
	old := newest(modules).AddDate(-4, 0, 0)
	for _, m := range modules {
		if m.Time.Before(old) && !bytes.Contains(text, []byte("`"+m.Path+"`")) {
			t.Errorf("%s says nothing of %s, which was last released in %d", page, m.Path, m.Time.Year())
		}
	}
}

// The server and the client of queues are in the program of fleets alone, and make nobody else's larger.
func TestQueuesAreInTheirProgramAlone(t *testing.T) {
	own := map[string]bool{}
	for _, m := range modulesOf(t, "./cmd/tribunal") {
		own[m.Path] = true
	}
	var more []string
	for _, m := range modulesOf(t, "./cmd/tribunal-fleet") {
		if !own[m.Path] {
			more = append(more, m.Path)
		}
	}
	if !slices.Contains(more, "github.com/nats-io/nats.go") ||
		!slices.Contains(more, "github.com/nats-io/nats-server/v2") {
		t.Errorf("of the modules of tribunal-fleet tribunal has all but %v", more)
	}
	text, err := os.ReadFile("../../docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range more {
		if !bytes.Contains(text, []byte("`"+path+"`")) {
			t.Errorf("docs/dependencies.md does not say that %s is of tribunal-fleet alone", path)
		}
	}
}

// newest is when the newest of the modules was released.
func newest(modules []moduleInfo) (latest time.Time) {
	for _, m := range modules {
		if m.Time.After(latest) {
			latest = m.Time
		}
	}
	return latest
}

// modulesOf are the modules of which a program's packages are built, without its own, by their paths.
func modulesOf(t *testing.T, program string) (modules []moduleInfo) {
	t.Helper()
	command := exec.Command("go", "list", "-deps", "-json=Module", program)
	command.Dir = "../.."
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(output))
	for {
		var p struct{ Module *moduleInfo }
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if p.Module == nil || p.Module.Main ||
			slices.ContainsFunc(modules, func(m moduleInfo) bool { return m.Path == p.Module.Path }) {
			continue
		}
		modules = append(modules, *p.Module)
	}
	if len(modules) == 0 {
		t.Fatal("go list names no module")
	}
	slices.SortFunc(modules, func(a, b moduleInfo) int { return strings.Compare(a.Path, b.Path) })
	return modules
}

// licencesIn are the licences whose texts stand at the top of a module.
func licencesIn(t *testing.T, folder string) (found []string) {
	t.Helper()
	var files []string
	for _, pattern := range []string{"LICENSE*", "LICENCE*", "COPYING*", "License*", "licenses/*", "LICENSES/*"} {
		matches, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, matches...)
	}
	for _, file := range files {
		// A list of what is beside a module: what of it is built has a row of its own.
		if strings.Contains(filepath.Base(file), "3RD-PARTY") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			continue // a folder
		}
		plain := strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(string(text), "-", " ")), " "))
		for _, l := range licences {
			sentence := strings.ToLower(strings.ReplaceAll(l.sentence, "-", " "))
			if !strings.Contains(plain, sentence) {
				continue
			}
			if !slices.Contains(found, l.name) && !(l.name == "BSD-2-Clause" && slices.Contains(found, "BSD-3-Clause")) {
				found = append(found, l.name)
			}
		}
	}
	slices.Sort(found)
	return found
}
