// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// Records that agents of earlier builds wrote into the store themselves: the machines of hosts, the running agents, and, while these run,
// their tunnel ends.
const (
	legacyClaims = record.Root + "claim/"
	legacyHosts  = legacyClaims + "host/"
	legacyLives  = legacyClaims + "live/"
	legacyEnds   = record.Services + "netplugin.vtep/"

	defaultPort = 4789 // of tunnels (RFC 7348, section 5)
)

// legacyAdmission is the machine of a host; legacyLive is its agent, and legacyEnd its tunnel end.
type (
	legacyAdmission struct{ Machine, VTEP, Control, Since string }
	legacyLive      struct {
		Instance string `json:"Seat"`
	}
	legacyEnd struct {
		Hostname, HostAddr, UplinkMAC, Version string
		Port                                   int
		Node4, Node6                           netip.Addr
	}
)

// hosts creates hosts from the records of agents of earlier builds. Their registrations stay, because they end by themselves, and so do the
// records that running agents renew.
func (c *converter) hosts(ctx context.Context) error {
	claims, _, err := c.db.List(ctx, legacyClaims)
	if err != nil || len(claims) == 0 {
		return err
	}
	there, _, err := c.db.List(ctx, record.Hosts)
	if err != nil {
		return fmt.Errorf("convert %s: %w", legacyClaims, err)
	}
	ends, _, err := c.db.List(ctx, legacyEnds)
	if err != nil {
		return fmt.Errorf("convert %s: %w", legacyClaims, err)
	}
	old := hostsOf(claims, ends)
	for _, it := range there {
		delete(old, strings.TrimPrefix(it.Key, record.Hosts)) // its agent is already of this build
	}
	var changes [][]store.Op
	for label, h := range old {
		if field, why := h.Wrong(); field != "" {
			c.log.Error("cannot convert a host of an earlier build; upgrade and start its agent", "host", label, "reason", field+": "+why)
			continue
		}
		text, err := json.Marshal(h)
		if err != nil {
			return err
		}
		changes = append(changes, []store.Op{{Key: record.Hosts + label, Value: text}})
	}
	for _, it := range claims {
		if !strings.HasPrefix(it.Key, legacyLives) {
			changes = append(changes, []store.Op{{Key: it.Key, Delete: true}})
		}
	}
	return c.write(ctx, legacyClaims, changes)
}

// hostsOf returns the hosts of machines and tunnel ends, by label.
func hostsOf(claims, ends []store.Item) map[string]*record.Host {
	out := map[string]*record.Host{}
	seats := map[string]string{}
	for _, it := range claims {
		if label, is := strings.CutPrefix(it.Key, legacyLives); is {
			var live legacyLive
			if json.Unmarshal(it.Value, &live) == nil {
				seats[label] = record.Sum([]byte(live.Instance))
			}
		}
		label, is := strings.CutPrefix(it.Key, legacyHosts)
		var claim legacyAdmission
		if !is || json.Unmarshal(it.Value, &claim) != nil {
			continue
		}
		h := &record.Host{Label: label, Machine: claim.Machine, Port: defaultPort, Since: claim.Since}
		h.VTEP, _ = netip.ParseAddr(claim.VTEP) // an invalid one is logged
		h.Control, _ = netip.ParseAddrPort(claim.Control)
		out[label] = h
	}
	for label, h := range out {
		h.Instance = seats[label]
	}
	for _, it := range ends {
		var end legacyEnd
		if json.Unmarshal(it.Value, &end) != nil || out[end.Hostname] == nil {
			continue
		}
		h := out[end.Hostname]
		h.Port, h.Node4, h.Node6, h.Version = end.Port, end.Node4, end.Node6, end.Version
		_ = h.UplinkMAC.UnmarshalText([]byte(end.UplinkMAC)) // without it there is none
	}
	return out
}
