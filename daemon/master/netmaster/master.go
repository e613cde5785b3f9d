// SPDX-License-Identifier: Apache-2.0

// Package netmaster puts the parts of a netmaster together: it has what several parts share, and their ordered list.
package netmaster

import (
	"log/slog"
	"time"

	"github.com/contiv/contiv/api/model"
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
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/membership"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/master/relay"
	"github.com/contiv/contiv/daemon/master/server/forward"
	"github.com/contiv/contiv/daemon/master/server/joinapi"
	"github.com/contiv/contiv/daemon/master/server/leadership"
	"github.com/contiv/contiv/daemon/master/server/nodes"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/trust"
)

// Leadership is the cluster's lock, as each part sees it.
type Leadership interface {
	forward.Leadership
	nodes.Leadership
	leadership.Lock
}

// Self is what a netmaster reports of itself, and what of its configuration several parts read.
type Self struct {
	Internal    string // address "host:port" for agents and other netmasters
	Version     model.Version
	Started     time.Time
	Incarnation record.Incarnation // of the store; the zero value: no answer has it
	ClusterMode string
	Insecure    bool // nothing is authenticated
	Embedded    bool // each of the store's servers is part of a netmaster
	Keep        history.Keep
	Cluster     joinapi.Cluster
	Recent      func() []byte // last lines of the log; nil: they are not kept
	Logs        *hostlog.Logs // of this netmaster's host; nil: they are not kept
	// Kubernetes returns whether Kubernetes is read; nil: no API server is named.
	Kubernetes func() *model.KubernetesStatus
	// Snapshots returns the state of the store's snapshots; nil: none are saved.
	Snapshots func() *model.SnapshotStatus
	// Refused returns why daemons of a role at a machine's address were refused a moment ago, "" if they were not; nil: none is.
	Refused func(host string, role trust.Role) string
	// Resources returns what this netmaster can run out of, as last measured; it does not block.
	Resources func() []model.Resource
	// Validity returns when this netmaster's certificate is valid, nil if it has none.
	Validity func() *model.Validity
	// Proves returns the fingerprints of the trusted authorities, and of the one that has certified this netmaster; nil: it is insecure.
	Proves func() (authorities []string, authority string)
}

// Master is a netmaster over one incarnation of its store: the engines that several parts share.
type Master struct {
	Self
	Store      store.Store
	Catalog    *catalog.Catalog
	Commit     *commit.Committer
	Admit      *admit.Admitter
	Endpoints  *endpoint.Service
	Adopter    *adopt.Engine
	Users      *auth.Users
	Audit      *audit.Log
	ACI        *aci.Notifier
	Alerts     *alert.Notifier
	Relay      *relay.Relay
	Registrar  *membership.Registrar
	Enroll     *membership.Enroller
	Leadership Leadership
	Others     peer.Transport // to other netmasters and agents
	Own        part.Part      // of the process: its certificates, its connection to the store, its election
	// Waiting names what is not ready; nil: what the parts wait for.
	Waiting func() []string
	Log     *slog.Logger
}
