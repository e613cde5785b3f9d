// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"fmt"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// MayRestart returns why the host's netmaster can be restarted now without stopping the cluster, or an error with the reason why not. It
// asks the cluster, and blocks until a netmaster has answered.
func (h *Host) MayRestart(ctx context.Context) (string, error) {
	env := h.Settings(Netmaster)
	if env == nil {
		return "this host has no netmaster", nil
	}
	c, err := h.Client(trust.Master, dialTimeout, append([]string{env[masterVariable]}, h.Netmasters()...)...)
	if err != nil {
		return "", err
	}
	lead, err := c.Leadership(ctx)
	if err != nil {
		return "", fmt.Errorf("the cluster does not report its members: %w", err)
	}
	return remaining(env[masterVariable], env[nameVariable], &lead)
}

// remaining returns what remains of the cluster without the netmaster at an address, whose member of an embedded store has a name, or an
// error if that is not enough. The name is "" if the store is not embedded.
func remaining(own, name string, lead *model.Leadership) (string, error) {
	if name != "" {
		return majority(name, lead.Store.Members)
	}
	var others []string
	for _, l := range lead.Leases {
		if at, is := strings.CutPrefix(l.Key, record.Services+record.ServiceMaster+"/"); is && at != own {
			others = append(others, at)
		}
	}
	if len(others) == 0 {
		return "", fmt.Errorf("no other netmaster is registered: until this one is ready again, containers get no network; restart it when that is acceptable: systemctl restart contiv-%s", Netmaster)
	}
	return "netmasters besides this one: " + strings.Join(others, ", "), nil
}

// majority returns the members of an embedded store that answer besides one, or an error if they are no majority.
func majority(name string, members []model.StoreMember) (string, error) {
	if len(members) == 0 {
		return "", fmt.Errorf("the members of the store are unknown: see netctl leader")
	}
	var up, down []string
	for i := range members {
		switch m := &members[i]; {
		case m.Name == name:
		case m.Error == "":
			up = append(up, m.Name)
		default:
			down = append(down, m.Name+" ("+m.Error+")")
		}
	}
	need := len(members)/2 + 1
	switch {
	case len(members) == 1:
		return "", fmt.Errorf("this host has the only member of the store: until it is ready again, containers get no network; restart it when that is acceptable: systemctl restart contiv-%s", Netmaster)
	case len(up) >= need:
		return fmt.Sprintf("members of the store that answer besides this one: %s; %d of %d are a majority", strings.Join(up, ", "), need, len(members)), nil
	case len(down) == 0:
		return "", fmt.Errorf("the store has %d members, so it stops without this one: until it is ready again, containers get no network; restart it when that is acceptable: systemctl restart contiv-%s", len(members), Netmaster)
	}
	return "", fmt.Errorf("%d of %d members of the store answer besides this one, and %d are a majority; these do not answer: %s; start them first, then systemctl restart contiv-%s",
		len(up), len(members), need, strings.Join(down, ", "), Netmaster)
}
