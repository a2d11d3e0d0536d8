package listen

import (
	"net"
	"net/netip"
	"strconv"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
)

// Address reads the HOST:PORT that a flag gives, and reports whether other machines reach it.
func Address(flag, text string) (remote bool, err error) {
	example := "such as " + flag + " 127.0.0.1:7070"
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return false, problem.Usage(example, "%s %q is not HOST:PORT", flag, text)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return false, problem.Usage(example, "%s %q has no port from 0 to 65535", flag, text)
	}
	if host == "localhost" {
		return false, nil
	}
	address, err := netip.ParseAddr(host)
	switch {
	case err != nil:
		return false, problem.Usage(example,
			"%s %q has no address of this machine: %q is neither an IP address nor localhost",
			flag, text, host)
	case address.IsUnspecified():
		return false, problem.Usage("name the one by which clients reach it, such as 172.17.0.1:7070",
			"%s %q is every address of this machine, and none that a client could ask", flag, text)
	}
	return !address.IsLoopback(), nil
}
