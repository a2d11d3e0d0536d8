package door

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
)

// Rules say who is let in.
type Rules struct {
	// Token is asked for, as the password of any user or behind Bearer; "" asks for none.
	Token string

	// Secret is the first folder of the address that is asked, so that no other user of the machine finds it; "" is
	// none, and with a Token there is none either.
	Secret string

	// Programs is for servers that programs ask and no browser: they reach it through forwarded ports too, and, as
	// they tell the token, by any name that a network gives it.
	Programs bool
}

// Guard lets those through to a handler that the rules let in. Who asks by another name than those of the address is
// answered with 421, a page of another site with 403, who does not tell the token with 401, and who does not know the
// secret with 403.
func (r Rules) Guard(address net.Addr, next http.Handler) http.Handler {
	hosts := hostsOf(address)
	if r.Token == "" && r.Secret != "" {
		_, port, _ := net.SplitHostPort(address.String())
		next = r.secretly(port, next)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, asked *http.Request) {
		switch {
		// A name of another site that leads here would let its pages read what is here.
		case !hosts[strings.ToLower(asked.Host)] && !r.known(asked.Host):
			http.Error(w, "this server has another name", http.StatusMisdirectedRequest)
		// What another site embeds is not for it; a link from there is followed by a person.
		case foreign(asked):
			http.Error(w, "requests from other web sites are refused", http.StatusForbidden)
		case !r.allowed(asked):
			w.Header().Set("WWW-Authenticate", `Basic realm="tribunal", charset="UTF-8"`)
			http.Error(w, "the token of the server is asked for, behind Bearer or as the password of any user",
				http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, asked)
		}
	})
}

// hostsOf are the names by which a browser asks an address: the address itself, and each of loopback where it is one.
func hostsOf(address net.Addr) map[string]bool {
	hosts := map[string]bool{}
	at, err := netip.ParseAddrPort(address.String())
	if err != nil {
		return hosts
	}
	ip := at.Addr().Unmap().WithZone("")
	names := []string{ip.String()}
	if ip.IsLoopback() {
		names = append(names, "localhost", "127.0.0.1", "::1")
	}
	for _, name := range names {
		hosts[net.JoinHostPort(name, strconv.Itoa(int(at.Port())))] = true
		if at.Port() == 80 {
			hosts[strings.TrimSuffix(net.JoinHostPort(name, ""), ":")] = true
		}
	}
	return hosts
}

// known reports whether programs may ask by a name that is not of the address.
func (r Rules) known(host string) bool { return r.Programs && (r.Token != "" || IsLoopback(host)) }

// IsLoopback reports whether a host, with or without a port, is this machine as it calls itself. What listens on
// loopback for programs alone is asked by no other name, unless a page of another site asks: programs reach it through
// forwarded ports too.
func IsLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && address.IsLoopback()
}

// foreign reports whether a page of another site asks for something to use in it.
func foreign(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host && origin != "null" {
		return true
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return (site == "cross-site" || site == "same-site") && r.Header.Get("Sec-Fetch-Mode") != "navigate"
}

// allowed reports whether a request tells the token, where one is asked for: as the password of any user, which
// browsers ask a person for, or behind Bearer. It takes as long whatever is told.
func (r Rules) allowed(asked *http.Request) bool {
	if r.Token == "" {
		return true
	}
	_, told, is := asked.BasicAuth()
	if !is {
		told = strings.TrimPrefix(asked.Header.Get("Authorization"), "Bearer ")
	}
	return same(told, r.Token)
}
