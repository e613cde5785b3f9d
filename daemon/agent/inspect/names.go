// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"net/http"

	"github.com/contiv/contiv/daemon/agent/dns"
	"github.com/contiv/contiv/ofnet/packetin"
)

// Names has the DNS statistics.
type Names struct {
	List      func() map[string]dns.Listing
	Counts    func() dns.Counts
	PacketIns func() packetin.Counts
}

// nameserver is the shape of the original's /inspect/nameserver. Its queues no longer exist: names resolve as soon as their records arrive.
// Queries are counted per host, not per tenant.
type nameserver struct {
	ServiceQueue  int                    `json:"serviceQueue"`
	EndpointQueue int                    `json:"endpointQueue"`
	Records       map[string]dns.Listing `json:"dnsRecords"`
	Stats         map[string]dns.Counts  `json:"stats"`
}

func (o *Options) nameserver(w http.ResponseWriter, _ *http.Request) {
	if o.Names == nil {
		text(w, http.StatusNotFound, "names are not served here: netplugin runs with --dns off\n")
		return
	}
	answer(w, nameserver{Records: o.Names.List(), Stats: map[string]dns.Counts{"host": o.Names.Counts()}})
}
