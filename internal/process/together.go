package process

// Containment says how the programs of this process were kept together with all that they start, since [Adopt].
type Containment struct {
	Folder  string // in which each has its cgroup; "" where none could be made, or none was needed
	Inside  int    // programs that were started in a cgroup of their own
	Outside int    // programs that were not, of which nothing but daemons that become orphans is found
	Why     error  // that kept the last of those outside; nil where there are none
}
