package main

import (
	"log/slog"
	"time"

	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/master/aci"
	"github.com/contiv/contiv/daemon/master/admit"
	"github.com/contiv/contiv/daemon/master/adopt"
	"github.com/contiv/contiv/daemon/master/audit"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/certificates"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/endpoint"
	masterkube "github.com/contiv/contiv/daemon/master/kube"
	"github.com/contiv/contiv/daemon/master/ldap"
	"github.com/contiv/contiv/daemon/master/netmaster"
	"github.com/contiv/contiv/daemon/master/oidc"
	"github.com/contiv/contiv/daemon/master/registrar"
	"github.com/contiv/contiv/daemon/master/relay"
	"github.com/contiv/contiv/daemon/master/server/auth"
	"github.com/contiv/contiv/daemon/master/server/leadership"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/master/storage"
	"github.com/contiv/contiv/daemon/master/users"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// master is a netmaster of this process over one incarnation of its store: the engines of its parts, and what connects it to its store.
type master struct {
	*netmaster.Master
	config     config
	opener     *storage.Opener
	kubernetes *masterkube.Engine // nil: no API server is named
	feed       *catalog.Feed
	election   *cluster.Election
	registry   *cluster.Registry
}

// newMaster makes a master, of which nothing runs yet.
func newMaster(c config, opener *storage.Opener, db store.Store, self record.Incarnation, started time.Time, log *slog.Logger) (*master, error) {
	sinks, err := c.Audit.Sinks()
	if err != nil {
		return nil, err
	}
	known, own := catalog.New(), c.certificates()
	committer := commit.New(db, known, c.History.Keep, log)
	m := &master{config: c, opener: opener, feed: catalog.NewFeed(known, db, log), registry: cluster.NewRegistry(db, 0, log, registration(c, "follower"))}
	m.election = cluster.NewElection(cluster.ElectionConfig{Store: db, Key: record.LeaderKey, History: record.TermsKey, Successor: record.SuccessorKey,
		ID: c.Listener.Internal, TTL: c.ttl, Excluded: own.Revoked, Log: log})
	m.Master = &netmaster.Master{Self: c.self(own, self, started), Store: db, Catalog: known, Commit: committer, Log: log,
		Admit:      admit.New(c.Admit),
		Users:      users.New(users.Config{Commit: committer, Catalog: known, Directory: ldap.LDAP{}, Provider: oidc.New(nil), Seal: own.Seal}),
		ACI:        aci.NewNotifier(aci.Config{Gateway: &aci.Gateway{URL: c.ACI.URL}, Commit: committer, Catalog: known, Log: log}),
		Relay:      relay.New(known, self.ID, m.feed.Away, log),
		Registrar:  registrar.New(committer, nil, log),
		Enroll:     enrolment(&c, committer, known, db, log),
		Leadership: leadership.Elected{Election: m.election, Commit: committer},
		Others:     peer.NewTransport(c.holder, known),
	}
	m.Audit = audit.New(audit.Config{Commit: committer, Catalog: known, Sinks: sinks, Log: log, Pass: auth.Pass(m.election, m.Others)})
	m.Adopter = adopt.New(adopt.Config{Commit: committer, Catalog: known, Admit: m.Admit, Incarnation: self, Roster: opener.Roster(self), Log: log})
	m.Relay.Await(m.Adopter.Awaited)
	settings := c.Endpoints
	settings.Held = m.Adopter.Held
	m.kubernetes = c.Kubernetes.Engine(masterkube.Config{Commit: committer, Catalog: known, Network: masterkube.Network{Admit: m.Admit}, Hurry: c.pace.Hurry, Log: log})
	if m.kubernetes != nil {
		settings.Pods, m.Kubernetes = m.kubernetes, m.kubernetes.Status
	}
	m.Endpoints = endpoint.New(committer, known, settings, log)
	if m.kubernetes != nil {
		m.kubernetes.Endpoints = m.Endpoints
	}
	m.Own = m.own(own)
	return m, nil
}

// certificates returns those of this host.
func (c *config) certificates() *certificates.Own {
	return &certificates.Own{Holder: c.holder, Internal: c.Listener.Internal, Embedded: c.Store.Embedded}
}

// self returns what netmaster reports of itself.
func (c *config) self(own *certificates.Own, i record.Incarnation, started time.Time) netmaster.Self {
	return netmaster.Self{Internal: c.Listener.Internal, Version: build.Info(), Started: started, Incarnation: i, ClusterMode: c.Mode, Insecure: c.holder == nil,
		Embedded: c.Store.Embedded, Keep: c.History.Keep, Cluster: c.joinInfo(), Recent: c.recent.Text, Proves: own.Proves()}
}
