package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/trust"
)

// Leave takes a host out of its cluster.
type Leave struct {
	Host    *Host
	Label   string
	Starter Starter
	Last    bool // the cluster ends with this host: no one is told
}

// Steps are what it takes: another netmaster leads, the agent ends, the cluster is told, and then the rest goes.
func (l *Leave) Steps() []Step {
	h := l.Host
	gone := func(name string, what func(context.Context) (string, error)) Step { return Step{Name: name, Do: what} }
	var steps []Step
	if !l.Last {
		steps = append(steps, gone("hand over", l.handOver))
	}
	steps = append(steps, gone("stop "+Netplugin, func(ctx context.Context) (string, error) { return l.Starter.Stop(ctx, Netplugin) }))
	if !l.Last {
		steps = append(steps, gone("leave", l.depart))
	}
	steps = append(steps, gone("stop "+Netmaster, func(ctx context.Context) (string, error) { return l.Starter.Stop(ctx, Netmaster) }))
	for _, daemon := range []string{Netmaster, Netplugin} {
		steps = append(steps, gone("settings of "+daemon, h.told(daemon, nil).Undo))
	}
	if h.Settings(Netplugin) != nil {
		steps = append(steps, gone("what remains", l.remains))
	}
	steps = append(steps, gone("CNI plugin", h.cni().Undo))
	return append(steps, gone("unfinished init", h.begin().Undo), gone("store", l.store), gone("certificates", h.authority(nil).Undo))
}

// remains reports what the agent leaves on the host. Containers keep their network until the operator removes it.
func (l *Leave) remains(context.Context) (string, error) {
	return "bridge contiv0 stays, and still forwards for the containers of this host: " + filepath.Join(l.Host.Bin, Netplugin) + " --uninstall once removes the bridge and the rules in nftables", nil
}

// Labelled is the label that the host's certificates say.
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

// depart tells the cluster.
func (l *Leave) depart(ctx context.Context) (string, error) {
	h := l.Host
	role, request := trust.Agent, model.DepartRequest{}
	if h.Trust().Has(trust.Agent) {
		request.Agent = l.Label
	}
	if h.Trust().Has(trust.Master) {
		role, request.Master = trust.Master, l.Label
	}
	if request == (model.DepartRequest{}) {
		return "", nil // it has left before
	}
	c, err := h.Client(role, patience, h.Netmasters()...)
	if err != nil {
		return "", err
	}
	if request.Master != "" { // whose own view of the cluster ends when its member of the store is removed
		lead, err := c.Lead(ctx)
		if err != nil {
			return "", err
		}
		if c, err = h.Client(role, patience, lead.Holder); err != nil {
			return "", err
		}
	}
	out, err := c.Depart(ctx, request)
	var e *model.Error
	if errors.As(err, &e) && e.Code == model.CodeUnavailable && strings.Contains(e.Message, "bad certificate") {
		return "left the cluster as " + l.Label, nil // an answer that was lost: the certificates were revoked meanwhile
	}
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("left the cluster as %s; %d certificates are revoked", l.Label, len(out.Revoked))
	if len(out.Endpoints) > 0 {
		text += fmt.Sprintf("; %d endpoints are left: netctl node forget --release %s deletes them", len(out.Endpoints), l.Label)
	}
	return text, nil
}

// handOver has another netmaster lead, if this host's does. It asks as a user, whose certificate the first host has, or as the netmaster.
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
		return "", nil // one that does not answer leads no one
	}
	out, err := c.HandOver(ctx, model.HandoverRequest{})
	if err != nil {
		return "", fmt.Errorf("this netmaster leads, and no other can: %w; contiv leave --last ends the cluster with this host", err)
	}
	return out.To + " leads now", nil
}

// store puts the embedded store's data aside: a member that was removed never comes back with it.
func (l *Leave) store(context.Context) (string, error) {
	dir := l.Host.StoreDir()
	if _, err := os.Stat(dir); err != nil {
		return "", nil
	}
	aside := filepath.Join(filepath.Dir(dir), "store.left")
	if err := os.RemoveAll(aside); err != nil {
		return "", err
	}
	return "moved " + dir + " to " + aside, os.Rename(dir, aside)
}
