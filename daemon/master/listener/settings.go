// SPDX-License-Identifier: Apache-2.0

// Package listener listens for the clients of a netmaster from the start of its process on, and answers what netmaster waits for until it has a server.
package listener

import (
	"fmt"
	"net"
	"slices"
	"strconv"

	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/httpserver"
)

// Settings are the addresses and the limits of the listeners. The zero limit is no limit.
type Settings struct {
	External    string   // "host:port" for users
	Internal    string   // "host:port" for agents and other netmasters
	Proxy       string   // "host:port" for clients of the original's auth proxy; "": none
	Hosts       []string // names of this netmaster in addition to its host's own
	Connections int      // maximum per listener
	PerClient   int      // maximum per listener and client
}

// Default limits. An open connection takes about 20 kB.
const (
	defaultConnections = 4096
	defaultPerClient   = 1024
)

// Register adds the flags.
func (s *Settings) Register(set *flags.Set) {
	set.String(&s.Proxy, "proxy-address", "PROXY_ADDRESS", "0.0.0.0:10000", "where clients of the original find its auth proxy, over TLS; empty for none")
	set.String(&s.External, "external-address", "EXTERNAL_ADDRESS", "0.0.0.0:9999", "where users reach the API", "listen-url")
	set.String(&s.Internal, "internal-address", "INTERNAL_ADDRESS", "", "where agents and other netmasters reach this one; default: this host's address and the external port", "control-url")
	set.List(&s.Hosts, httpserver.AllowedHosts, "ALLOWED_HOSTS", "names under which this netmaster is reached, besides addresses, names without a dot and the host's own: api.example.org, *.example.org or *")
	set.Int(&s.Connections, httpserver.MaxConnections, "MAX_CONNECTIONS", defaultConnections, "how many connections one listener has open at once")
	set.Int(&s.PerClient, httpserver.MaxConnectionsPerClient, "MAX_CONNECTIONS_PER_CLIENT", defaultPerClient, "how many of them one client has")
}

// Check validates the settings. The default of Internal is this host's address, with the port of External.
func (s *Settings) Check() error {
	_, port, err := flags.Address("external-address", s.External)
	if err != nil {
		return err
	}
	if s.Internal == "" {
		local, err := flags.LocalAddress()
		if err != nil {
			return fmt.Errorf("--internal-address: %w", err)
		}
		s.Internal = net.JoinHostPort(local.String(), strconv.Itoa(port))
	}
	if _, _, err := flags.Address("internal-address", s.Internal); err != nil {
		return err
	}
	for flag, n := range map[string]int{httpserver.MaxConnections: s.Connections, httpserver.MaxConnectionsPerClient: s.PerClient} {
		if n < 1 || n > httpserver.MaxRequest {
			return fmt.Errorf("--%s %d: it is a number from 1 to %d", flag, n, httpserver.MaxRequest)
		}
	}
	if s.Proxy != "" {
		_, _, err = flags.Address("proxy-address", s.Proxy)
	}
	return err
}

// Names returns the host names under which clients reach this netmaster.
func (s *Settings) Names() *httpserver.Names { return httpserver.NewNames(s.More()...) }

// More returns the names other than those of the host.
func (s *Settings) More() []string {
	more := slices.Clone(s.Hosts)
	for _, address := range []string{s.External, s.Internal} {
		if host, _, err := net.SplitHostPort(address); err == nil {
			more = append(more, host)
		}
	}
	return more
}

// addresses returns the external address, and the internal one unless the external one includes it.
func (s *Settings) addresses() []string {
	host, port, _ := net.SplitHostPort(s.External)
	_, internal, _ := net.SplitHostPort(s.Internal)
	if s.External == s.Internal || host == "0.0.0.0" && port == internal {
		return []string{s.External}
	}
	return []string{s.External, s.Internal}
}
