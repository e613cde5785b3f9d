package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/master/aci"
	"github.com/contiv/contiv/daemon/master/admit"
	"github.com/contiv/contiv/daemon/master/adopt"
	"github.com/contiv/contiv/daemon/master/audit"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/convert"
	"github.com/contiv/contiv/daemon/master/derive"
	"github.com/contiv/contiv/daemon/master/dockernet"
	"github.com/contiv/contiv/daemon/master/endpoint"
	masterkube "github.com/contiv/contiv/daemon/master/kube"
	"github.com/contiv/contiv/daemon/master/ldap"
	"github.com/contiv/contiv/daemon/master/maintenance"
	"github.com/contiv/contiv/daemon/master/oidc"
	"github.com/contiv/contiv/daemon/master/registrar"
	"github.com/contiv/contiv/daemon/master/relay"
	"github.com/contiv/contiv/daemon/master/server"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/master/users"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
	"github.com/contiv/contiv/daemon/store/mirror"
	"github.com/contiv/contiv/daemon/store/open"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/identity"
)

// serve wires netmaster's parts together and runs them until ctx ends or one cannot continue.
func serve(ctx context.Context, c config, log *slog.Logger) error {
	front := newFront()
	front.waits("the store")
	tasks, err := front.listen(c, log)
	if err != nil {
		return err
	}
	tasks = append(tasks, c.proof(log)...)
	return task.Run(ctx, log, append(tasks, task.Func("netmaster", func(ctx context.Context, ready func()) error {
		if err := c.awaitStore(ctx, front, log); err != nil {
			return ended(ctx, err)
		}
		if err := c.awaitRoom(ctx, front, room, log); err != nil {
			return ended(ctx, err)
		}
		if err := c.awaitMember(ctx, front, log); err != nil {
			return ended(ctx, err)
		}
		db, err := openStore(ctx, c, log)
		if err != nil {
			return err
		}
		if db == nil { // told to end while the store started
			return nil
		}
		defer func() { _ = db.Close() }()
		return reign(ctx, c, db, front, log, ready)
	}))...)
}

// awaitStore waits until the machine has the addresses of the store in this process, whose server ends without them.
func (c *config) awaitStore(ctx context.Context, front *front, log *slog.Logger) error {
	if !c.Store.Embedded {
		return nil
	}
	for _, text := range []string{c.Embedded.ClientURL, c.Embedded.PeerURL} {
		u, err := url.Parse(text)
		if err != nil {
			return err
		}
		front.waits("the address " + u.Host + " of the embedded store, which no interface of this machine has")
		l, err := httpserver.Await(ctx, net.JoinHostPort(u.Hostname(), "0"), log)
		if err != nil {
			return fmt.Errorf("address %s of the embedded store: %w", u.Host, err)
		}
		_ = l.Close()
	}
	front.waits("the store")
	return nil
}

// openStore opens the store that the configuration names, or starts it in this process.
func openStore(ctx context.Context, c config, log *slog.Logger) (store.Store, error) {
	if !c.Store.Embedded {
		return open.Open(c.Store, log)
	}
	c.Embedded.Log = log
	db, err := embedded.Start(ctx, c.Embedded)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil
		}
		return nil, err
	}
	return db, nil
}

// reign runs netmaster's parts over an open store until ctx ends or one cannot continue. When the store is recreated beneath them -
// someone has wiped it, or restored an older backup - they start over, with nothing known.
func reign(ctx context.Context, c config, db store.Store, front *front, log *slog.Logger, ready func()) error {
	started := time.Now()
	for {
		self, err := c.settle(ctx, db, front, log)
		if err != nil {
			return ended(ctx, err)
		}
		err = live(ctx, c, db, self, front, started, log, ready)
		if ctx.Err() != nil || !errors.Is(err, mirror.ErrReset) {
			return err
		}
		log.Warn("netmaster starts over, because its store was recreated", "store", db.String(), "error", err)
		front.waits("the store, which was recreated")
	}
}

// live is one life of the parts, over one incarnation of the store.
func live(ctx context.Context, c config, db store.Store, self record.Incarnation, front *front, started time.Time, log *slog.Logger, ready func()) error {
	known := catalog.New()
	committer := commit.New(db, known, c.keep, log)
	admitter := admit.New(admit.Settings{ClusterMode: c.Mode, InfraType: c.Infra, FwdMode: c.FwdMode, HostAccess: c.HostAccess})
	settings := endpoint.Settings{ClusterMode: c.Mode, Quarantine: c.quarantine, PodTenants: c.PodTenants}
	reader := kubernetes(c, committer, known, admitter, log)
	if reader != nil {
		settings.Pods = reader
	}
	adopter := adopt.New(adopt.Config{Commit: committer, Catalog: known, Admit: admitter, Incarnation: self, Roster: c.roster(self, log), Log: log})
	settings.Held = adopter.Held
	endpoints := endpoint.New(committer, known, settings, log)
	dockerNetworks := dockernet.New(committer, admitter, known)
	duties := []func(context.Context){func(ctx context.Context) { dockerNetworks.Finish(ctx, log) }}
	if reader != nil {
		reader.Endpoints = endpoints
		duties = append(duties, reader.Run)
	}
	accounts := users.New(users.Config{Commit: committer, Catalog: known, Directory: ldap.LDAP{}, Provider: oidc.New(nil), Seal: c.seal})
	duties = append(duties, func(ctx context.Context) { accounts.Sweep(ctx, log) })
	sinks, err := c.auditSinks()
	if err != nil {
		return err
	}
	space := maintenance.NewSpace(db, log)
	snapshots := c.snapshots(db, log)
	if !c.Store.Embedded { // which compacts itself
		duties = append(duties, maintenance.NewCompactor(db, c.compaction, known.Revision, log).Run)
	}
	poster := aci.NewNotifier(aci.Config{Gateway: &aci.Gateway{URL: c.ACIGateway}, Commit: committer, Catalog: known, Log: log})
	feed := catalog.NewFeed(known, db, log)
	told := relay.New(known, self.ID, feed.Away, log)
	told.Await(adopter.Awaited)
	others, hosts := peer.NewWay(c.holder, known), registrar.New(committer, nil, log)
	keeper := &registrar.Controller{Registrar: hosts, Catalog: known, Served: func(ctx context.Context) []channel.Served {
		return peer.New(known, others).Sessions(ctx, c.Internal, told.Sessions, true)
	}}
	joining := enrolment(&c, committer, known, db, log)
	var srv *server.Server
	duties = append(duties, adopter.Run, poster.Run, maintenance.NewLandmarks(committer, known, log).Run, keeper.Run, joining.Run, remembering(committer, known, func() *server.Server { return srv }, log))
	election := cluster.NewElection(cluster.ElectionConfig{
		Store: db, Key: record.LeaderKey, History: record.TermsKey, Successor: record.SuccessorKey, ID: c.Internal, TTL: c.ttl, Excluded: c.barred, Log: log,
		Lead: func(ctx context.Context, t cluster.Term) error {
			select {
			case <-feed.Ready(): // else the store is read twice at once, and the list that comes last is useless
			case <-ctx.Done():
				return ctx.Err()
			}
			begun := c.pace.Hurry()
			defer begun()
			return lead(ctx, t, db, known, committer, admitter, accounts, log, append(slices.Clip(duties), func(context.Context) { begun() })...)
		},
	})
	noted := audit.New(audit.Config{Commit: committer, Catalog: known, Sinks: sinks, Log: log, Pass: passAudit(election, others)})
	registry := cluster.NewRegistry(db, 0, log, registration(c, "follower"))
	expiry := task.Func("expiry of held addresses", func(ctx context.Context, ready func()) error {
		ready()
		endpoints.Expire(ctx)
		return nil
	})
	group := task.NewGroup(log, c.load(known), feed, incarnated(known, feed, self), enrolled(known, feed, self, c.ClusterFile, log), election, registry, c.roles(election, registry), expiry, told, minding(space), saving(snapshots), c.revocation(known, log), auditing(noted))
	var status func() *model.KubernetesStatus
	if reader != nil {
		status = reader.Status
	}
	srv = server.New(server.Config{
		Catalog: known, Commit: committer, Admit: admitter, Endpoints: endpoints, Adopter: adopter, Relay: told, Registrar: hosts, Keep: c.keep, ACI: poster, Space: space.Members,
		Leadership: leadership{election, committer}, Store: db, Embedded: c.Store.Embedded, ClusterMode: c.Mode, Internal: c.Internal, Version: build.Info(),
		Started: started, Kubernetes: status, Hosts: c.names(), Limits: c.Limits, Doors: front.doors, Log: log,
		Waiting: func() []string { return missing(group, feed, election.Starved() || committer.Starved(), c.barred()) },
		Stale:   feed.Away,
		Way:     others, Enroll: joining, Cluster: c.told(), Incarnation: self,
		Snapshots: saved(snapshots),
		Insecure:  c.holder == nil, Users: accounts, Audit: noted, Recent: c.recent.Text,
	}, prometheus.NewRegistry())
	front.serves(srv)
	ready()
	return group.Run(ctx)
}

// missing is what netmaster waits for, what stops the most first.
func missing(parts *task.Group, feed *catalog.Feed, starved bool, barred string) []string {
	waiting := parts.Waiting()
	if why := feed.Away(); why != "" {
		waiting = append([]string{why}, waiting...)
	}
	if starved {
		waiting = append([]string{"space in the store, which has used up its quota"}, waiting...)
	}
	if barred != "" {
		waiting = append([]string{barred}, waiting...)
	}
	return waiting
}

// roles keeps this process registered as what it is.
func (c *config) roles(election *cluster.Election, registry *cluster.Registry) task.Task {
	return task.Func("roles", func(ctx context.Context, ready func()) error {
		ready()
		for {
			changed := election.Changed()
			role := "follower"
			if _, leads := election.Term(); leads {
				role = "leader"
			}
			registry.Set(registration(*c, role))
			select {
			case <-ctx.Done():
				return nil
			case <-changed:
			}
		}
	})
}

// minding tells how much space the store has.
func minding(space *maintenance.Space) task.Task {
	return task.Func("space of the store", func(ctx context.Context, ready func()) error {
		ready()
		space.Run(ctx)
		return nil
	})
}

// load hurries until the store has been read.
func (c *config) load(known *catalog.Catalog) task.Task {
	return task.Func("first load", func(ctx context.Context, ready func()) error {
		ready()
		defer c.pace.Hurry()()
		_ = known.Wait(ctx, 1) // else there is nothing to hurry for any more
		return nil
	})
}

// kubernetes makes what reads Kubernetes, nil when none is named.
func kubernetes(c config, committer *commit.Committer, known *catalog.Catalog, a *admit.Admitter, log *slog.Logger) *masterkube.Engine {
	if !c.Kubernetes.Wanted() {
		return nil
	}
	return masterkube.New(masterkube.Config{Source: kube.NewReader(c.Kubernetes, log), Commit: committer, Catalog: known, BalancerNetwork: c.BalancerNetwork, Log: log, Hurry: c.pace.Hurry,
		Network: masterkube.Network{ID: identity.Network{Tenant: endpoint.DefaultTenant, Name: endpoint.DefaultNetwork}, Subnets: c.pods, Admit: a}})
}

// watchPatience is how long a leader that begins waits for its watch to tell what was before.
const watchPatience = 2 * time.Second

// lead is one term: convert what an earlier build has left, know everything, make what every cluster has, and then commit what comes, beside a leader's duties.
func lead(ctx context.Context, t cluster.Term, db store.Store, known *catalog.Catalog, committer *commit.Committer, a *admit.Admitter, accounts *users.Users, log *slog.Logger, duties ...func(context.Context)) error {
	converted, err := convert.Run(ctx, db, t.Fence, log)
	if err != nil {
		return err
	}
	if err := known.CatchUp(ctx, max(t.Fence.Created, converted), watchPatience, db, log); err != nil {
		return fmt.Errorf("read the store: %w", err)
	}
	tellShared(known, log)
	converge := derive.Converge()
	first := func(tx *commit.Tx) error {
		return errors.Join(a.Bootstrap(tx), server.Secret(tx), accounts.SealSecrets(tx), converge(tx))
	}
	return committer.RunFrom(ctx, t.Fence, first, duties...)
}

// tellShared names the networks whose addresses are not unique where they should be: an earlier build let them in.
func tellShared(known *catalog.Catalog, log *slog.Logger) {
	known.View(func(v *catalog.View) {
		g := v.Global()
		if g == nil || g.HostAccess != record.HostDirect {
			return
		}
		for _, s := range v.Shared() {
			log.Error("networks of two tenants share addresses, so hosts may meet the containers of one of them alone: delete one of the networks", "network", s.String())
		}
	})
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

// leadership shows the election to the server.
type leadership struct {
	election *cluster.Election
	commit   *commit.Committer
}

// Leader is the holder of the lock.
func (l leadership) Leader() string { return l.election.Holder().Address }

// Changed is closed when Leader next changes.
func (l leadership) Changed() <-chan struct{} { return l.election.Changed() }

// Leading reports whether this process may write.
func (l leadership) Leading() bool { return l.election.Holder().Self && l.commit.Active() }

// Term numbers this process's term.
func (l leadership) Term() uint64 {
	t, _ := l.election.Term()
	return uint64(t.Fence.Created)
}

// StepDown gives the lock back.
func (l leadership) StepDown(ctx context.Context, h cluster.Successor) error {
	return l.election.StepDown(ctx, h)
}

// Lock is the newest term that is known of, and who leads in it, "" once it has ended.
func (l leadership) Lock() (leader string, term uint64) {
	if h := l.election.Holder(); h.Address != "" {
		return h.Address, uint64(h.Created)
	}
	if terms := l.election.Terms(); len(terms) > 0 {
		term = uint64(terms[len(terms)-1].Fence.Created)
	}
	return "", term
}

// Since is when the present term began.
func (l leadership) Since() time.Time {
	terms := l.election.Terms()
	if len(terms) == 0 {
		return time.Time{}
	}
	return terms[len(terms)-1].Since
}
