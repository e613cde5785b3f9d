package main

import (
	"net"
	"strconv"
	"strings"

	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/daemon/record"
)

// registration is what others find this netmaster by, and what of its store is closed to containers.
func registration(c config, role string) record.Service {
	host, port, _ := net.SplitHostPort(c.Listener.Internal)
	n, _ := strconv.Atoi(port)
	stores := c.Store.URLs()
	if c.Store.Embedded {
		stores = []string{c.Storage.Embedded.ClientURL, c.Storage.Embedded.PeerURL}
	}
	return record.Service{ServiceName: record.ServiceMaster, Role: role, Version: build.Info().Version, HostAddr: host, Port: n, Store: strings.Join(stores, ",")}
}
