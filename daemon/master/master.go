// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/hostlog"
	"github.com/contiv/contiv/daemon/master/aci"
	"github.com/contiv/contiv/daemon/master/admit"
	"github.com/contiv/contiv/daemon/master/adopt"
	"github.com/contiv/contiv/daemon/master/alert"
	"github.com/contiv/contiv/daemon/master/audit"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/endpoint"
	masterkube "github.com/contiv/contiv/daemon/master/kube"
	"github.com/contiv/contiv/daemon/master/membership"
	"github.com/contiv/contiv/daemon/master/netmaster"
	"github.com/contiv/contiv/daemon/master/relay"
	"github.com/contiv/contiv/daemon/master/server/authapi"
	"github.com/contiv/contiv/daemon/master/server/leadership"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// master is a netmaster of this process over one incarnation of its store: the engines of its parts, and what connects it to its store.
type master struct {
	*netmaster.Master
	daemon     *daemon
	kubernetes *masterkube.Engine // nil: no API server is named
	feed       *catalog.Feed
	election   *cluster.Election
	registry   *cluster.Registry
}

// newMaster returns a master over an open store with the incarnation self. It runs nothing.
func newMaster(d *daemon, db store.Store, self record.Incarnation) (*master, error) {
	sinks, err := d.Audit.Sinks()
	if err != nil {
		return nil, err
	}
	known, log := catalog.New(), d.log
	committer := commit.New(db, known, d.History.Keep, log)
	alerts, err := d.Alerts.Open(alert.Config{Commit: committer, Catalog: known, Generator: d.Trust.Scheme() + "://" + d.Listener.Internal + "/api/v1/health", Log: log})
	if err != nil {
		return nil, err
	}
	m := &master{daemon: d, feed: catalog.NewFeed(known, db, log), registry: cluster.NewRegistry(db, 0, log, d.registration("follower"))}
	m.election = cluster.NewElection(cluster.ElectionConfig{Store: db, Key: record.LeaderKey, History: record.TermsKey, Successor: record.SuccessorKey,
		ID: d.Listener.Internal, TTL: d.ttl, Excluded: d.own.Revoked, Log: log})
	m.Master = &netmaster.Master{Self: d.self(self), Store: db, Catalog: known, Commit: committer, Log: log,
		Admit:      admit.New(d.Admit),
		Users:      auth.NewUsers(auth.Config{Commit: committer, Catalog: known, Directory: auth.LDAP{}, Provider: auth.NewOpenID(nil), Seal: d.own.Seal}),
		ACI:        aci.NewNotifier(aci.Config{Gateway: &aci.Gateway{URL: d.ACI.URL}, Commit: committer, Catalog: known, Log: log}),
		Alerts:     alert.New(alerts),
		Relay:      relay.New(known, self.ID, m.feed.Away, log),
		Registrar:  membership.NewRegistrar(committer, nil, log),
		Enroll:     d.enroller(committer, known, db),
		Leadership: leadership.Elected{Election: m.election, Commit: committer},
		Others:     peer.NewTransport(d.holder, known),
	}
	m.Audit = audit.New(audit.Config{Commit: committer, Catalog: known, Sinks: sinks, Log: log, Pass: authapi.Pass(m.election, m.Others)})
	m.Adopter = adopt.New(adopt.Config{Commit: committer, Catalog: known, Admit: m.Admit, Incarnation: self, Roster: d.Storage.Roster(self, log), Log: log})
	m.Relay.Await(m.Adopter.Awaited)
	settings := d.Endpoints
	settings.Held = m.Adopter.Held
	m.kubernetes = d.Kubernetes.Engine(masterkube.Config{Commit: committer, Catalog: known, Network: masterkube.Network{Admit: m.Admit}, Hurry: d.pace.Hurry, Log: log})
	if m.kubernetes != nil {
		settings.Pods, m.Kubernetes = m.kubernetes, m.kubernetes.Status
	}
	m.Endpoints = endpoint.New(committer, known, settings, log)
	if m.kubernetes != nil {
		m.kubernetes.Endpoints = m.Endpoints
	}
	m.Own = m.own()
	return m, nil
}

// self returns what netmaster reports of itself.
func (d *daemon) self(i record.Incarnation) netmaster.Self {
	return netmaster.Self{Internal: d.Listener.Internal, Version: build.Info(), Started: d.started, Incarnation: i, ClusterMode: d.Mode, Insecure: d.holder == nil,
		Embedded: d.Store.Embedded, Keep: d.History.Keep, Cluster: d.joinInfo(), Recent: d.recent.Text, Logs: &hostlog.Logs{Part: model.LogNetmaster, Recent: d.recent, Dir: d.Log.Dir}, Resources: d.usage.Last, Refused: d.front.Refusals().Of, Validity: d.own.Validity, Proves: d.own.Proves()}
}
