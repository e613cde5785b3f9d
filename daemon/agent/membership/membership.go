// SPDX-License-Identifier: Apache-2.0

// Package membership makes an agent part of its cluster: it authenticates to netmasters, registers its host, follows one netmaster, and
// saves the received records for a start without netmasters.
package membership

import (
	"context"
	"log/slog"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/daemon/agent/checkpoint"
	"github.com/contiv/contiv/daemon/agent/hostcheck"
	"github.com/contiv/contiv/daemon/agent/inventory"
	"github.com/contiv/contiv/daemon/agent/part"
	"github.com/contiv/contiv/daemon/agent/registration"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/incarnation"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/daemon/tracing"
	"github.com/contiv/contiv/trust"
)

// startWait is how long an agent that starts waits for netmasters before it works with what it has received before.
const startWait = 3 * time.Second

// requestTimeout is how long a request to netmasters is repeated while the cluster elects a leader.
const requestTimeout = 10 * time.Second

// Options configure a Membership.
type Options struct {
	Self        record.Host // this host, as it should be admitted, except for its instance
	Netmasters  Netmasters
	Trust       *trust.Holder    // authenticates the agent and netmasters to each other; nil: plain HTTP
	ClusterFile incarnation.File // records the store of the host's cluster; "": no file
	Records     string           // path of the file that keeps what netmasters have sent
	Version     model.Version
	Directory   func() bool         // the host needs the networks and groups of all tenants
	Claims      registration.Master // admits the host; nil: netmasters do
	Log         *slog.Logger
}

// Membership is that of this host. All methods but Follow are safe for concurrent use.
type Membership struct {
	Options
	Channel      *channel.Client
	Master       channel.Master // asks the leader
	Registration *registration.Registration

	carried *inventory.Merger
	records *checkpoint.Source // the saved and received records
	revoked *Revocations
}

// New returns a Membership that follows no netmaster yet.
func New(o Options) *Membership {
	m := &Membership{Options: o}
	m.Channel = channel.NewClient(channel.Options{Host: o.Self.Label, Masters: m.Netmasters.All, HTTP: m.transport(), Log: o.Log})
	m.Master = channel.Master{Client: &client.Client{Masters: m.masters, HTTP: tracing.Client(m.Channel.HTTP), Timeout: requestTimeout,
		Actor: func() string { return o.Self.Label }, Program: "netplugin/" + o.Version.Version}}
	if m.Claims == nil {
		m.Claims = m.Master
	}
	m.Registration = registration.New(registration.Options{Master: m.Claims, Host: o.Self, Log: o.Log})
	return m
}

// Host is the part of the agent that netmasters ask.
type Host interface {
	channel.Reporter
	// Attached lists the ids of endpoints that have an interface on this host. It does not block.
	Attached() []string
	// Ported lists the endpoints that the switch's external ids describe. It does not block.
	Ported() []record.Endpoint
}

// Follow returns the revocations of this host, and connects the agent with netmasters. It must be called once, before the tasks run.
func (m *Membership) Follow(h Host) *Revocations {
	host := m.Self.Label
	m.carried = inventory.New(inventory.Options{Host: host, Follower: m.Channel, Attached: h.Attached, Ported: h.Ported, Post: m.Master.Offer, Log: m.Log})
	m.records = &checkpoint.Source{Follower: m.carried, Grace: startWait, Log: m.Log}
	m.revoked = NewRevocations(RevocationOptions{Source: m.records, Masters: m.Netmasters.All, Ask: m.askRevoked, Revoke: m.revoke, Log: m.Log})
	m.Channel.Bind(channel.Hooks{Directory: m.Directory, Instance: m.Registration.Instance, Reporter: &reporter{h, m.carried}, Opened: m.followed,
		Offer: func(ctx context.Context) error { m.Registration.Again(); return m.carried.Offer(ctx) }})
	return m.revoked
}

// masters returns the URLs of netmasters: the known ones while one of them is followed, else also those that are found.
func (m *Membership) masters(ctx context.Context) []string {
	if m.Channel.With() != "" {
		return m.Netmasters.Known()
	}
	return m.Netmasters.All(ctx)
}

// reporter is a Host that reports no digests while it deliberately holds other records than netmasters have sent: they could not repair
// that.
type reporter struct {
	channel.Reporter
	carried *inventory.Merger
}

func (r *reporter) Held() (channel.Mark, map[channel.Shard]channel.Digest) {
	mark, all := r.Reporter.Held()
	if r.carried.Carries() {
		return channel.Mark{}, nil
	}
	return mark, all
}

// Refusal returns why this machine is not the host of its label, "" if it is.
func (m *Membership) Refusal() string {
	if why := m.Registration.Refusal(); why != "" {
		return "admission to the cluster: " + why
	}
	return ""
}

// Waiting names what a host that is not admitted waits for.
func (m *Membership) Waiting() string {
	if why := m.Registration.Silence(); why != "" {
		return "a netmaster (" + why + ")"
	}
	return "a netmaster"
}

// Part returns the tasks of the membership, and the checks of clocks and of stores.
func (m *Membership) Part() part.Part {
	clock := &hostcheck.Clock{Host: m.Self.Label, Masters: m.Netmasters.All, Ask: m.askDate, Now: time.Now}
	stores := &hostcheck.Stores{Host: m.Self.Label, Others: m.Channel.Others}
	return part.Part{
		Tasks:  append([]task.Task{part.Started("admission to the cluster", m.Registration.Run)}, m.certificates()...),
		Checks: []check.Check{clock.Check(), stores.Check()},
	}
}
