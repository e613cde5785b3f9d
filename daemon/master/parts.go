package main

import (
	"context"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/dockernet"
	"github.com/contiv/contiv/daemon/master/maintenance"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/master/registrar"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/master/timeline"
	"github.com/contiv/contiv/daemon/task"
)

// follows is the part that follows the store: the others need what it reads.
func (m *master) follows() part.Part {
	load := part.Started("first load", func(ctx context.Context) error {
		defer m.pace.Hurry()()
		_ = m.known.Wait(ctx, 1) // else there is nothing to hurry for any more
		return nil
	})
	return part.Part{Tasks: []task.Task{load, m.feed, incarnated(m.known, m.feed, m.self), enrolled(m.known, m.feed, m.self, m.ClusterFile, m.log)}}
}

// parts returns all other parts of the netmaster, in their order.
func (m *master) parts() part.Part {
	networks := dockernet.New(m.committer, m.admitter, m.known)
	return part.Join(
		part.Duty(func(ctx context.Context) { networks.Finish(ctx, m.log) }),
		m.kubernetesRecords(),
		part.Duty(func(ctx context.Context) { m.accounts.Sweep(ctx, m.log) }),
		m.history(),
		part.Duty(m.adopter.Run, m.poster.Run, maintenance.NewLandmarks(m.committer, m.known, m.log).Run),
		m.runningAgents(),
		part.Duty(m.joining.Run),
		m.registered(),
		m.addresses(),
		m.agents(),
		m.storeSpace(),
		m.saving(),
		m.certificates(),
		m.authority(),
		m.auditing(),
	)
}

// kubernetesRecords keeps records of what Kubernetes has.
func (m *master) kubernetesRecords() part.Part {
	if m.kubernetes == nil {
		return part.Part{}
	}
	return part.Duty(m.kubernetes.Run)
}

// history forgets the store's own history, where nothing else does.
func (m *master) history() part.Part {
	if m.Store.Embedded { // which compacts itself
		return part.Part{}
	}
	return part.Duty(maintenance.NewCompactor(m.db, m.compaction, m.known.Revision, m.log).Run)
}

// runningAgents keeps which hosts' agents run, by what all netmasters report.
func (m *master) runningAgents() part.Part {
	keeper := &registrar.Controller{Registrar: m.hosts, Catalog: m.known, Served: func(ctx context.Context) []channel.Served {
		return peer.New(m.known, m.others).Sessions(ctx, m.Internal, m.relay.Sessions, true)
	}}
	return part.Duty(keeper.Run)
}

// registered keeps this process registered, as what it is.
func (m *master) registered() part.Part {
	roles := part.Started("roles", func(ctx context.Context) error {
		for {
			changed := m.election.Changed()
			role := "follower"
			if _, leads := m.election.Term(); leads {
				role = "leader"
			}
			m.registry.Set(registration(m.config, role))
			select {
			case <-ctx.Done():
				return nil
			case <-changed:
			}
		}
	})
	return part.Part{Tasks: []task.Task{m.registry, roles}}
}

// addresses ends holds of addresses.
func (m *master) addresses() part.Part {
	return part.Part{Tasks: []task.Task{part.Started("expiry of held addresses", func(ctx context.Context) error { m.endpoints.Expire(ctx); return nil })}}
}

// agents sends agents what concerns their hosts.
func (m *master) agents() part.Part { return part.Part{Tasks: []task.Task{m.relay}} }

// storeSpace reports how much space the store has.
func (m *master) storeSpace() part.Part {
	return part.Part{Tasks: []task.Task{part.Started("space of the store", func(ctx context.Context) error { m.space.Run(ctx); return nil })}}
}

// saving saves snapshots of the store.
func (m *master) saving() part.Part {
	return part.Part{Tasks: []task.Task{part.Started("snapshots of the store", func(ctx context.Context) error {
		if m.snapshots == nil {
			<-ctx.Done()
			return nil
		}
		return m.snapshots.Run(ctx)
	})}}
}

// certificates refuses those that are revoked.
func (m *master) certificates() part.Part {
	return part.Part{Tasks: []task.Task{m.revocation(m.known, m.log)}}
}

// authority carries out the replacement of the cluster's authority on this host.
func (m *master) authority() part.Part {
	return part.Part{Tasks: []task.Task{m.rotation(m.known, m.committer, m.accounts.SealSecrets, m.log)}}
}

// auditing stores the events of the audit.
func (m *master) auditing() part.Part {
	return part.Part{Tasks: []task.Task{part.Started("audit", func(ctx context.Context) error { m.audit.Run(ctx); return nil })}}
}

// findings records what is found wrong in the cluster, as health says.
func (m *master) findings(health func(context.Context) model.Health) part.Part {
	keeper := timeline.New(timeline.Config{Commit: m.committer, Catalog: m.known, Log: m.log, Found: func(ctx context.Context) ([]model.Finding, map[string]bool) {
		list := health(ctx).Findings
		return list, silent(list)
	}})
	return part.Duty(keeper.Run)
}
