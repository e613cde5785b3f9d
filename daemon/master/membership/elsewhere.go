// SPDX-License-Identifier: Apache-2.0

package membership

import (
	"net"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// elsewhere refuses addresses of other machines: where a netmaster listens, and, for an agent authenticated by a certificate, a control
// address for which it is not certified. Agents and netmasters connect to these addresses, and containers are kept from them.
func elsewhere(tx *commit.Tx, h *record.Host, who *auth.Subject, now time.Time) error {
	for _, m := range tx.Services(record.ServiceMaster) {
		if h.Control.IsValid() && net.JoinHostPort(m.HostAddr, strconv.Itoa(m.Port)) == h.Control.String() {
			return model.Errorf(model.CodeConflict, "control", "control address %s is where a netmaster listens; this is host %s", h.Control, h.Label).Try("give this one its own with --ctrl-ip")
		}
	}
	switch {
	case !who.Proves().Host:
		return nil
	case h.VTEP.IsLoopback():
		return model.Errorf(model.CodeInvalid, "vtep", "no other host reaches %s", h.VTEP).Try("name an address of the underlay with --vtep-ip")
	case !h.Control.IsValid():
		return nil
	}
	var certified []string
	for _, c := range tx.CertifiedAs(who.Identity.String()) {
		if c.Valid(now) {
			certified = append(certified, c.Hosts...)
		}
	}
	addressed := slices.ContainsFunc(certified, func(host string) bool {
		a, err := netip.ParseAddr(host)
		return err == nil && !a.IsLoopback()
	})
	if addressed && !slices.Contains(certified, h.Control.Addr().String()) {
		return model.Errorf(model.CodeDenied, "control", "host %s is not certified for its control address %s", h.Label, h.Control).
			Try("use an address that contiv cert show lists, with --ctrl-ip, or have the host join again from that address: contiv join TOKEN@ADDRESS")
	}
	return nil
}
