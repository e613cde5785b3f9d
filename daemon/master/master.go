package main

import (
	"log/slog"

	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/master/aci"
	"github.com/contiv/contiv/daemon/master/admit"
	"github.com/contiv/contiv/daemon/master/adopt"
	"github.com/contiv/contiv/daemon/master/audit"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/endpoint"
	"github.com/contiv/contiv/daemon/master/enroll"
	masterkube "github.com/contiv/contiv/daemon/master/kube"
	"github.com/contiv/contiv/daemon/master/ldap"
	"github.com/contiv/contiv/daemon/master/maintenance"
	"github.com/contiv/contiv/daemon/master/oidc"
	"github.com/contiv/contiv/daemon/master/registrar"
	"github.com/contiv/contiv/daemon/master/relay"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/master/users"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/snapshot"
	"github.com/contiv/contiv/daemon/store"
)

// master is a netmaster over one incarnation of its store: what several of its parts need. Each field is made of those before it.
type master struct {
	config
	db         store.Store
	self       record.Incarnation
	log        *slog.Logger
	known      *catalog.Catalog
	committer  *commit.Committer
	admitter   *admit.Admitter
	kubernetes *masterkube.Engine // nil: no API server is named
	adopter    *adopt.Engine
	endpoints  *endpoint.Service
	accounts   *users.Users
	space      *maintenance.Space
	snapshots  *snapshot.Saver // nil: none are saved
	poster     *aci.Notifier
	feed       *catalog.Feed
	relay      *relay.Relay
	others     peer.Way // to other netmasters and agents
	hosts      *registrar.Registrar
	joining    *enroll.Enroller
	election   *cluster.Election
	registry   *cluster.Registry
	audit      *audit.Log
}

// newMaster makes a master, of which nothing runs yet.
func newMaster(c config, db store.Store, self record.Incarnation, log *slog.Logger) (*master, error) {
	sinks, err := c.auditSinks()
	if err != nil {
		return nil, err
	}
	m := &master{config: c, db: db, self: self, log: log, known: catalog.New()}
	m.committer = commit.New(db, m.known, c.keep, log)
	m.admitter = admit.New(admit.Settings{ClusterMode: c.Mode, InfraType: c.Infra, FwdMode: c.FwdMode, HostAccess: c.HostAccess})
	m.kubernetes = kubernetes(c, m.committer, m.known, m.admitter, log)
	m.adopter = adopt.New(adopt.Config{Commit: m.committer, Catalog: m.known, Admit: m.admitter, Incarnation: self, Roster: c.roster(self, log), Log: log})
	settings := endpoint.Settings{ClusterMode: c.Mode, Quarantine: c.quarantine, PodTenants: c.PodTenants, Held: m.adopter.Held}
	if m.kubernetes != nil {
		settings.Pods = m.kubernetes
	}
	m.endpoints = endpoint.New(m.committer, m.known, settings, log)
	if m.kubernetes != nil {
		m.kubernetes.Endpoints = m.endpoints
	}
	m.accounts = users.New(users.Config{Commit: m.committer, Catalog: m.known, Directory: ldap.LDAP{}, Provider: oidc.New(nil), Seal: c.seal})
	m.space, m.snapshots = maintenance.NewSpace(db, log), c.snapshots(db, log)
	m.poster = aci.NewNotifier(aci.Config{Gateway: &aci.Gateway{URL: c.ACIGateway}, Commit: m.committer, Catalog: m.known, Log: log})
	m.feed = catalog.NewFeed(m.known, db, log)
	m.relay = relay.New(m.known, self.ID, m.feed.Away, log)
	m.relay.Await(m.adopter.Awaited)
	m.others, m.hosts = peer.NewWay(c.holder, m.known), registrar.New(m.committer, nil, log)
	m.joining = enrolment(&c, m.committer, m.known, db, log)
	m.election = cluster.NewElection(cluster.ElectionConfig{Store: db, Key: record.LeaderKey, History: record.TermsKey, Successor: record.SuccessorKey,
		ID: c.Internal, TTL: c.ttl, Excluded: c.barred, Log: log})
	m.registry = cluster.NewRegistry(db, 0, log, registration(c, "follower"))
	m.audit = audit.New(audit.Config{Commit: m.committer, Catalog: m.known, Sinks: sinks, Log: log, Pass: passAudit(m.election, m.others)})
	return m, nil
}
