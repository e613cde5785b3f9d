// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/setup/unit"
	"github.com/contiv/contiv/trust"
)

// Leave takes a host out of its cluster.
type Leave struct {
	Host    *Host
	Label   string
	Starter Starter
	Last    bool // the cluster ends with this host: no netmaster is informed
	Force   bool // containers of this host may lose their network
	// Drain is how long leaving waits until the host has no containers; meanwhile the host accepts no new ones. 0: it does not
	// wait.
	Drain time.Duration
	// Progress receives a line whenever the number of containers has changed while leaving waits for them; nil: nothing is reported.
	Progress func(line string)
	interval time.Duration // between requests that are repeated; 0: drainInterval or departInterval
	// Uninstall removes the agent's changes to the host other than its files, according to the agent's settings. It returns a line
	// for each thing that was restored or left.
	Uninstall func(ctx context.Context, settings Env) (lines []string, err error)
}

// Steps returns the steps of contiv leave: no container needs the host, another netmaster leads, the agent ends, the cluster
// forgets the host, and the rest is removed.
func (l *Leave) Steps() []Step {
	h := l.Host
	gone := func(name string, what func(context.Context) (string, error)) Step { return Step{Name: name, Do: what} }
	var steps []Step
	if l.Drain > 0 {
		steps = append(steps, gone("hand over", l.handOver), gone("drain", l.drain))
	}
	steps = append(steps, gone("endpoints", l.aboard))
	if !l.Last && l.Drain == 0 {
		steps = append(steps, gone("hand over", l.handOver))
	}
	steps = append(steps, gone("stop "+Netplugin, func(ctx context.Context) (string, error) { return l.Starter.Stop(ctx, Netplugin) }))
	if !l.Last {
		steps = append(steps, gone("leave", l.depart))
	}
	steps = append(steps, gone("stop "+Netmaster, func(ctx context.Context) (string, error) { return l.Starter.Stop(ctx, Netmaster) }))
	steps = append(steps, gone("uninstall", l.uninstall))
	for _, s := range l.placed() {
		steps = append(steps, gone(s.Name, s.Undo))
	}
	return append(steps, gone("directories", h.removeDirs), gone("what remains", l.remains))
}

// placed returns the steps of contiv init and contiv join whose Undo removes what they put on the host, in the order of removal.
// The certificates are last: an interrupted contiv leave authenticates with them.
func (l *Leave) placed() []Step {
	h := l.Host
	return []Step{h.writeSettings(Netmaster, nil), h.writeSettings(Netplugin, nil), h.cni(), h.fixed(Commands), h.begin(), {Name: "store", Undo: l.store}, h.founded(nil), h.authority(nil)}
}

// namedEndpoints is the maximum number of endpoints that a message names.
const namedEndpoints = 8

// aboard returns an error if netmasters know of containers on the host. The last host of a cluster may have no netmaster that
// answers.
func (l *Leave) aboard(ctx context.Context) (string, error) {
	h := l.Host
	if l.Force || h.Settings(Netplugin) == nil || !h.Trust().Has(trust.Agent) {
		return "", nil
	}
	wait := readyTimeout
	if l.Last {
		wait = 0
		limited, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		ctx = limited
	}
	c, err := h.Client(trust.Agent, wait, h.Netmasters()...)
	if err != nil {
		return "", err
	}
	there, err := c.HostEndpoints(ctx, l.Label)
	switch {
	case err != nil && departed(err):
		return "", nil // an earlier contiv leave was interrupted after the cluster had removed the host
	case err != nil && l.Last:
		return "no netmaster answers, so endpoints of this host are unknown", nil
	case err != nil:
		return "", fmt.Errorf("endpoints of this host are unknown: %w; use contiv leave --force to leave without an answer", err)
	case len(there.Endpoints) == 0:
		return "", nil
	}
	return "", fmt.Errorf("%d endpoints are on this host, and would lose their network: %s; delete their containers through the runtime first (netctl node forget --release %s "+"deletes endpoints whose containers are gone), or disconnect them with contiv leave --force", len(there.Endpoints), someOf(there.Endpoints), l.Label)
}

// someOf names the first endpoints of a list, and the number of the others.
func someOf(ids []string) string {
	names := strings.Join(ids[:min(len(ids), namedEndpoints)], ", ")
	if more := len(ids) - namedEndpoints; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return names
}

// uninstall removes the agent's changes to the host other than its files.
func (l *Leave) uninstall(ctx context.Context) (string, error) {
	settings := l.Host.Settings(Netplugin)
	if settings == nil {
		return "", nil // the host has no agent, or this step was done before
	}
	if l.Uninstall == nil {
		return "remains: the bridge, the nftables rules and the files of the agent: the containers keep their network until " + filepath.Join(l.Host.Bin, Netplugin) + " --uninstall once removes it", nil
	}
	lines, err := l.Uninstall(ctx, settings)
	if err == nil {
		lines = append([]string{"removed the bridge, the nftables rules and the files of the agent"}, lines...)
	}
	return strings.Join(lines, "\n"), err
}

// remains lists what stays on the host, with the reason.
func (l *Leave) remains(context.Context) (string, error) {
	h := l.Host
	var lines []string
	for _, one := range []struct{ path, why string }{
		{h.EnvFile(Netmaster), "you wrote it"}, {h.EnvFile(Netplugin), "you wrote it"},
		{h.ConfigFile(Netmaster), "you wrote it"}, {h.ConfigFile(Netplugin), "you wrote it"}, {filepath.Join(h.ConfigDir(), "conf.d"), "you wrote it"},
		{h.asideDir(), "the store's data, in case they are needed: rm -rf removes them"},
		{h.SnapshotDir(), "snapshots of the cluster's store, with which it can be restored elsewhere: rm -rf removes them"},
		{h.LogFile(Netmaster), "its log"}, {h.LogFile(Netplugin), "its log"},
		{h.LastLines(Netmaster), "its last log lines"}, {h.LastLines(Netmaster) + ".1", "its last log lines"}, {h.LastLines(Netplugin), "its last log lines"}, {h.LastLines(Netplugin) + ".1", "its last log lines"},
	} {
		if _, err := os.Stat(one.path); err == nil {
			lines = append(lines, "remains: "+one.path+": "+one.why)
		}
	}
	if _, err := user.Lookup(unit.User); err == nil && h.Root == "" && !h.packaged(Netmaster) {
		lines = append(lines, "remains: user "+unit.User+", who may own files that remain: userdel "+unit.User+" removes it")
	}
	return strings.Join(lines, "\n"), nil
}

// Labelled returns the label in the host's certificates.
func (h *Host) Labelled() (string, error) {
	var last error
	for _, role := range []trust.Role{trust.Agent, trust.Master} {
		held, err := trust.Open(h.Trust(), role)
		if err == nil {
			return held.Identity().Name, nil
		}
		last = err
	}
	return "", last
}

// handOver makes another netmaster lead if this host's does. It authenticates as the user whose certificate the first host has, or
// as the netmaster.
func (l *Leave) handOver(ctx context.Context) (string, error) {
	env := l.Host.Settings(Netmaster)
	if env == nil {
		return "", nil // it runs none
	}
	own := env["CONTIV_NETMASTER_INTERNAL_ADDRESS"]
	role := trust.Master
	if l.Host.Trust().Has(trust.User) {
		role = trust.User
	}
	c, err := l.Host.Client(role, 0, own)
	if err != nil {
		return "", err
	}
	var node model.Node
	if err := c.Raw(ctx, "/api/v1/nodes/self", &node); err != nil || node.Role != model.RoleLeader {
		return "", nil // a netmaster that does not answer does not lead
	}
	out, err := c.HandOver(ctx, model.HandoverRequest{})
	if err != nil {
		return "", fmt.Errorf("this netmaster leads, and no other can: %w; use contiv leave --last if this is the last host of the cluster", err)
	}
	return out.To + " leads now", nil
}

// store moves the embedded store's data aside: a removed member never returns with them.
func (l *Leave) store(context.Context) (string, error) {
	if _, err := os.Stat(l.Host.StoreDir()); err != nil {
		return "", l.Host.forgetMember()
	}
	return l.Host.putAside("this host is not a member any more")
}
