package cgroup

import (
	"slices"
	"strings"
	"testing"
)

// Lines of /proc/PID/cgroup and /proc/PID/mountinfo as their documentation shows them.
const (
	// Documentation/admin-guide/cgroup-v2.rst, Processes.
	nested = "0::/test-cgroup/test-cgroup-nested\n"
	// The same, of a zombie.
	deleted = "0::/test-cgroup/test-cgroup-nested (deleted)\n"
	// cgroups(7), /proc/PID/cgroup: version 1 alone.
	legacy = "5:cpuacct,cpu,cpuset:/daemons\n"
	// proc_pid_mountinfo(5): its example, no cgroups.
	plain = "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue\n"
	// cgroup_namespaces(7): version 1, before and after it is mounted again in the namespace.
	freezerOutside = "155 145 0:32 /.. /sys/fs/cgroup/freezer rw,relatime - cgroup freezer rw,freezer\n"
	freezerInside  = "155 145 0:32 / /sys/fs/cgroup/freezer rw,relatime - cgroup freezer rw,freezer\n"
	// systemd(1), "Hybrid": version 2 beside version 1; and "Unified".
	hybrid = "30 23 0:26 / /sys/fs/cgroup/unified rw,nosuid,nodev,noexec,relatime shared:5 - cgroup2 cgroup2 " +
		"rw,nsdelegate\n"
	unifies = "31 23 0:27 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	// What a container has that sees the cgroups of the machine, of which its own alone is mounted.
	bound = "40 39 0:27 /docker/4f5e /sys/fs/cgroup ro,nosuid,nodev,noexec,relatime - cgroup2 cgroup rw\n"
)

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		name, membership, mounts string
		want                     []string
		err                      string
	}{
		{"unified", nested, plain + unifies, []string{"/sys/fs/cgroup/test-cgroup/test-cgroup-nested"}, ""},
		{"root", "0::/\n", unifies, []string{"/sys/fs/cgroup"}, ""},
		{"hybrid", legacy + "1:name=systemd:/user.slice\n0::/user.slice\n", freezerInside + hybrid + plain,
			[]string{"/sys/fs/cgroup/unified/user.slice"}, ""},
		{"no newline at the end", "0::/a", strings.TrimSuffix(unifies, "\n"), []string{"/sys/fs/cgroup/a"}, ""},
		{"colons", "0::/a:b::c\n", unifies, []string{"/sys/fs/cgroup/a:b::c"}, ""},
		{"deleted", deleted, unifies, []string{"/sys/fs/cgroup/test-cgroup/test-cgroup-nested (deleted)"}, ""},
		{"two mounts", "0::/a\n", hybrid + unifies, []string{"/sys/fs/cgroup/a", "/sys/fs/cgroup/unified/a"}, ""},
		{"container", "0::/docker/4f5e\n", bound, []string{"/sys/fs/cgroup"}, ""},
		{"below a container's", "0::/docker/4f5e/b\n", bound, []string{"/sys/fs/cgroup/b"}, ""},
		{"another container's", "0::/docker/4f5e6\n", bound, nil, "/docker/4f5e6"},
		{"above a container's", "0::/docker\n", bound, nil, "/docker"},
		{"mounted outside of the namespace", "0::/\n", strings.ReplaceAll(freezerOutside, "cgroup freezer", "cgroup2 none"),
			nil,
			`the cgroup of this process, "/", is in no file system`},
		{"moved out of the namespace", "0::/../other\n", unifies, nil, "/../other"},
		{"both outside", "0::/../other/a\n", strings.ReplaceAll(unifies, " / ", " /../other "), []string{"/sys/fs/cgroup/a"},
			""},
		{"escaped", "0::/a b\\\n", strings.ReplaceAll(unifies, "/sys/fs/cgroup", `/my\040cgroups\134\011`),
			[]string{"/my cgroups\\\t/a b\\"}, ""},
		{"optional fields", "0::/a\n",
			strings.ReplaceAll(unifies, "shared:4", "shared:4 master:7 propagate_from:2 unbindable"),
			[]string{"/sys/fs/cgroup/a"}, ""},
		{"a type that is an option", "0::/a\n", strings.ReplaceAll(plain, "ext3", "ext3 cgroup2"), nil, "is mounted"},
		{"version 1", legacy, freezerInside, nil, "in no cgroup of version 2"},
		{"version 2 without a mount", "0::/\n", freezerInside + plain, nil, "is mounted"},
		{"relative", "0::a\n", unifies, nil, "in no cgroup of version 2"},
		{"nothing", "", "", nil, "in no cgroup of version 2"},
		{"broken", "0::/a\n", "1 2 3\n - cgroup2\n1 2 3 / /m rw -\n1 2 3 / /m rw shared:1 cgroup2\n", nil, "is mounted"},
	} {
		folders, err := places(c.membership, c.mounts)
		if !slices.Equal(folders, c.want) || (err == nil) != (c.err == "") ||
			err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %q, %v", c.name, folders, err)
		}
	}
}

// The kernel writes blank, tab, newline, backslash and, in paths, the number sign as octal numbers
// (proc_pid_mountinfo(5), seq_path in fs/seq_file.c).
func TestUnescaped(t *testing.T) {
	for field, want := range map[string]string{
		"": "", "/a": "/a", `/a\040b`: "/a b", `\134\012\011\043`: "\\\n\t#", `/a\`: `/a\`, `/a\04`: `/a\04`,
		`/a\999b`: `/a\999b`,
		`\777`:    `\777`,
	} {
		if got := unescaped(field); got != want {
			t.Errorf("%q: %q, want %q", field, got, want)
		}
	}
}
