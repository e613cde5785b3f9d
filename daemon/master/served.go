package main

import (
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/master/server"
	"github.com/contiv/contiv/daemon/record"
)

// served is what the server serves of the netmaster. waiting names what is not ready yet.
func (m *master) served(doors []*httpserver.Connections, started time.Time, waiting func() []string) server.Config {
	var status func() *model.KubernetesStatus
	if m.kubernetes != nil {
		status = m.kubernetes.Status
	}
	return server.Config{
		Catalog: m.known, Commit: m.committer, Admit: m.admitter, Endpoints: m.endpoints, Adopter: m.adopter, Relay: m.relay, Registrar: m.hosts, Keep: m.keep, ACI: m.poster,
		Space: m.space.Members, Leadership: leadership{m.election, m.committer}, Store: m.db, Embedded: m.Store.Embedded, ClusterMode: m.Mode, Internal: m.Internal,
		Version: build.Info(), Started: started, Kubernetes: status, Hosts: m.names(), Limits: m.Limits, Doors: doors, Log: m.log,
		Waiting: waiting, Stale: m.feed.Away, Way: m.others, Enroll: m.joining, Cluster: m.told(), Incarnation: m.self,
		Snapshots: saved(m.snapshots), Proves: m.proves(), Insecure: m.holder == nil, Users: m.accounts, Audit: m.audit, Recent: m.recent.Text,
	}
}

// missing is what netmaster waits for, what stops the most first: parts are those that are not ready.
func (m *master) missing(parts []string) []string {
	waiting := parts
	if why := m.feed.Away(); why != "" {
		waiting = append([]string{why}, waiting...)
	}
	if m.election.Starved() || m.committer.Starved() {
		waiting = append([]string{"space in the store, which has used up its quota"}, waiting...)
	}
	if why := m.barred(); why != "" {
		waiting = append([]string{why}, waiting...)
	}
	return waiting
}

// registration is what others find this netmaster by, and what of its store is closed to containers.
func registration(c config, role string) record.Service {
	host, port, _ := net.SplitHostPort(c.Internal)
	n, _ := strconv.Atoi(port)
	stores := c.Store.URLs()
	if c.Store.Embedded {
		stores = []string{c.Embedded.ClientURL, c.Embedded.PeerURL}
	}
	return record.Service{ServiceName: record.ServiceMaster, Role: role, Version: build.Info().Version, HostAddr: host, Port: n, Store: strings.Join(stores, ",")}
}
