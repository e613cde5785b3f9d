package doctor

import (
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/health"
	"github.com/contiv/contiv/daemon/record"
)

// claims are the addresses that hosts report and that are not taken for theirs. Those that are merely nowhere near others count where they would be closed:
// where there are other hosts, whose containers do not meet hosts.
func claims(v *catalog.View) (out []health.Claim) {
	g := v.Global()
	closes := len(v.Hosts()) > 1 && g != nil && g.HostAccess != record.HostDirect
	for _, r := range v.Ownership().Reports() {
		if r.Whose != "" || r.Alone && closes {
			out = append(out, health.Claim{Host: r.Host, Address: r.Addr.String(), Whose: r.Whose})
		}
	}
	return out
}
