package node

import (
	"context"
	"slices"
	"time"

	"github.com/contiv/contiv/daemon/agent/cnicache"
	"github.com/contiv/contiv/daemon/agent/cniserver"
	"github.com/contiv/contiv/daemon/agent/healthport"
	"github.com/contiv/contiv/daemon/agent/runtimeconf"
	"github.com/contiv/contiv/daemon/task"
)

// parts are the agent's tasks. Those that need the switch wait for it themselves.
func (n *Node) parts() []task.Task {
	parts := []task.Task{
		n.db,
		task.Func("seat at the switch", n.sit),
		task.Func("admission to the cluster", n.register),
		started("addresses of the machine", n.reportOwn),
		task.Func("interface reaper", func(ctx context.Context, ready func()) error {
			ready()
			return n.links.Reap(ctx, n.Log)
		}),
		started("notifications of the kernel", n.links.Watch),
		task.Func("preparation of the switch", n.prepare),
		task.Func("addresses of names", n.followNames),
		n.afterPreparation("flow reconciler", n.forward.Run),
		n.afterPreparation(n.desired.String(), n.desired.Run),
		task.Func("sweep", func(ctx context.Context, ready func()) error {
			ready()
			select {
			case <-n.desired.Ready():
				n.adjustMTU(ctx) // it may have changed while no agent ran
				return n.attach.Run(ctx, n.SweepEvery)
			case <-ctx.Done():
				return nil
			}
		}),
		n.afterPreparation("messages to senders", n.answers.Run),
		n.afterPreparation("host access", func(ctx context.Context) error {
			select {
			case <-n.desired.Ready():
				return n.access.Run(ctx)
			case <-ctx.Done():
				return nil
			}
		}),
		n.afterSync("limits of the connection tracker", n.tracker.Run),
		n.afterSync("drift", n.drift.Run),
		n.afterSync("checks of the host", n.examiner.Run),
		n.afterSync("MTU of containers that meet hosts", n.followDirect),
		n.afterSync("first flows", n.settle),
		task.Func("readiness", n.watchReadiness),
	}
	health := &healthport.Keeper{Healths: n.desired.Healths, Changed: n.desired.Surroundings, Healthy: n.forward.Connected, Log: n.Log}
	parts = append(parts, n.afterSync("BGP", n.router.Run), n.afterSync("health of services", health.Run))
	parts = append(parts, n.underlayParts()...)
	if n.questions != nil {
		parts = append(parts, n.afterSync("names", n.questions.Run), n.afterSync("names over TCP", func(ctx context.Context) error {
			return n.resolver.Serve(ctx, n.links.Listen)
		}))
	}
	if len(n.Uplinks) > 0 {
		parts = append(parts, n.afterPreparation("announcements", func(ctx context.Context) error {
			return n.answers.Announce(ctx, n.desired.Changed, n.forward.View)
		}))
	}
	if len(n.Uplinks) > 1 {
		parts = append(parts, n.afterPreparation("uplinks", n.followUplinks))
	}
	parts = slices.Concat(parts, n.outlook.parts(n), n.observing(), n.certificates())
	n.doors = append(n.doors, n.cniDoors()...)
	if n.InspectPort != 0 {
		n.doors = append(n.doors, n.inspectors()...)
	}
	if n.Runtime.Conf != "" {
		parts = append(parts, n.runtimeConf())
	}
	if n.Runtime.Cache != "" && n.CNISocket != "" {
		sweeper := &cnicache.Sweeper{Dir: n.Runtime.Cache, Network: runtimeconf.Name, Every: 10 * time.Second, Log: n.Log}
		parts = append(parts, started("cache of the CNI library", sweeper.Run))
	}
	if n.Docker.Plugin != "" {
		parts = append(parts, n.dockerParts()...)
	}
	return append(parts, n.doors...)
}

// runtimeConf keeps the CNI plugin and its configuration on the host.
func (n *Node) runtimeConf() task.Task {
	keeper := &runtimeconf.Keeper{Program: n.Runtime.Program, Bin: n.Runtime.Bin, Conf: n.Runtime.Conf, Stays: n.Runtime.Stays, Waiting: n.Waiting, Every: time.Second, Log: n.Log}
	return started("configuration of CNI", keeper.Run)
}

// started is a task that nothing waits for.
func started(name string, run func(context.Context) error) task.Task {
	return task.Func(name, func(ctx context.Context, ready func()) error {
		ready()
		return run(ctx)
	})
}

// cniDoors are where CNI plugins ask.
func (n *Node) cniDoors() (out []task.Task) {
	cni := cniserver.Options{Socket: n.CNISocket, Attacher: n.attach, Publisher: n.access, Starting: n.starting, Waiting: n.Waiting,
		Cut: func() bool { return !n.forward.Whole() }, Patience: n.CNIPatience, Log: n.Log}
	if cni.Socket != "" {
		out = append(out, cniserver.New(cni))
	}
	if cni.Socket, cni.Mesos = n.MesosSocket, true; cni.Socket != "" {
		out = append(out, cniserver.New(cni))
	}
	return out
}

func (n *Node) afterPreparation(name string, run func(context.Context) error) task.Task {
	return task.Func(name, func(ctx context.Context, ready func()) error {
		select {
		case <-n.prepared:
			ready()
			return run(ctx)
		case <-ctx.Done():
			return nil
		}
	})
}

// settle waits for the first flows.
func (n *Node) settle(ctx context.Context) error {
	seen, _ := n.desired.Seen()
	if err := n.forward.Wait(ctx, seen); err == nil && n.Settled != nil {
		n.Settled()
	}
	<-ctx.Done() // a part that ends, ends the agent
	return nil
}

// afterSync is afterPreparation for what needs to know all records.
func (n *Node) afterSync(name string, run func(context.Context) error) task.Task {
	return n.afterPreparation(name, func(ctx context.Context) error {
		select {
		case <-n.desired.Ready():
			return run(ctx)
		case <-ctx.Done():
			return nil
		}
	})
}

// underlayParts are the tasks that follow what carries the tunnels.
func (n *Node) underlayParts() []task.Task {
	return []task.Task{
		task.Func("MTU of the underlay", func(ctx context.Context, ready func()) error {
			ready()
			return n.links.FollowMTU(ctx, n.VTEP, func(mtu int) { n.newMTU(ctx, mtu) })
		}),
		n.afterPreparation("MTU of the uplinks", n.followTrunk),
		n.afterPreparation("neighbours of the tunnel", func(ctx context.Context) error {
			tick := time.NewTicker(greetEvery)
			defer tick.Stop()
			look := time.NewTicker(lookEvery)
			defer look.Stop()
			hosts := &neighbours{ends: n.tunnelEnds, changed: n.desired.Joined, self: n.VTEP, meet: n.links.ForgetAndGreet, greet: n.links.Greet,
				connections: func() uint64 { return n.forward.Counters().Connections }, log: n.Log}
			return hosts.run(ctx, tick.C, look.C)
		}),
		n.afterPreparation("return of the tunnel address", n.followTunnelAddress),
	}
}
