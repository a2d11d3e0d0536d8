package cgroup

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// places returns the folders where the cgroup of a process may be found, the last mount first, as it hides those
// before. The texts are its /proc/PID/cgroup (cgroups(7)) and /proc/PID/mountinfo (proc_pid_mountinfo(5)).
// Whether a folder is the right one is to be seen in it: mounts may hide one another, and be of other namespaces.
func places(membership, mounts string) ([]string, error) {
	own, ok := unified(membership)
	if !ok {
		return nil, errors.New("this process is in no cgroup of version 2")
	}
	var folders []string
	mounted := false
	for line := range strings.Lines(mounts) {
		root, point, ok := unifiedMount(line)
		if !ok {
			continue
		}
		mounted = true
		if rest, ok := below(root, own); ok {
			folders = append(folders, path.Join(point, rest))
		}
	}
	switch {
	case !mounted:
		return nil, errors.New("no file system of cgroups of version 2 is mounted")
	case len(folders) == 0:
		return nil, fmt.Errorf("the cgroup of this process, %q, is in no file system that is mounted", own)
	}
	slices.Reverse(folders)
	return folders, nil
}

// unified returns the path of a process in the hierarchy of version 2, which is the one with the number 0 and
// without controllers.
func unified(membership string) (own string, ok bool) {
	for line := range strings.Lines(membership) {
		if own, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok && strings.HasPrefix(own, "/") {
			return own, true
		}
	}
	return "", false
}

// unifiedMount reads a line of mountinfo: which folder of a file system of cgroups is mounted, and where. It is
// not ok for another file system, or what is no such line. A hyphen stands between the fields whose number
// varies and the type.
func unifiedMount(line string) (root, point string, ok bool) {
	const rootField, pointField, optional = 3, 4, 6
	fields := strings.Fields(line)
	if len(fields) <= optional {
		return "", "", false
	}
	hyphen := slices.Index(fields[optional:], "-") + optional
	if hyphen < optional || hyphen+1 >= len(fields) || fields[hyphen+1] != "cgroup2" {
		return "", "", false
	}
	root, point = unescaped(fields[rootField]), unescaped(fields[pointField])
	return root, point, strings.HasPrefix(root, "/") && strings.HasPrefix(point, "/")
}

// below returns where a path is within a root. One that goes up is not within it: a root of another namespace
// says nothing of where the path is.
func below(root, own string) (rest string, ok bool) {
	if root != "/" {
		if own, ok = strings.CutPrefix(own, root); !ok || own != "" && own[0] != '/' {
			return "", false
		}
	}
	return own, !slices.Contains(strings.Split(own, "/"), "..")
}

// unescaped puts back the characters that mountinfo writes as a backslash and three octal digits: blank, tab,
// newline and backslash.
func unescaped(field string) string {
	var text strings.Builder
	for {
		i := strings.IndexByte(field, '\\')
		if i < 0 || i+4 > len(field) {
			return text.String() + field
		}
		if b, err := strconv.ParseUint(field[i+1:i+4], 8, 8); err == nil {
			text.WriteString(field[:i])
			text.WriteByte(byte(b))
		} else {
			text.WriteString(field[:i+4])
		}
		field = field[i+4:]
	}
}
