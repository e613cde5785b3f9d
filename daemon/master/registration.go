// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net"
	"strconv"
	"strings"

	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/daemon/record"
)

// registration returns the addresses of this netmaster and of its store, for other daemons: agents block containers' access to the store.
func (c *config) registration(role string) record.Service {
	host, port, _ := net.SplitHostPort(c.Listener.Internal)
	n, _ := strconv.Atoi(port)
	stores := c.Store.URLs()
	if c.Store.Embedded {
		stores = []string{c.Storage.Embedded.ClientURL, c.Storage.Embedded.PeerURL}
	}
	return record.Service{ServiceName: record.ServiceMaster, Role: role, Version: build.Info().Version, HostAddr: host, Port: n, Store: strings.Join(stores, ",")}
}
