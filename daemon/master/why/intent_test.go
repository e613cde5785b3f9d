// SPDX-License-Identifier: Apache-2.0

package why_test

import (
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/why"
)

// The intent follows from the objects only, not from the switches.
func TestIntent(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	w.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24 gateway=10.1.1.254", "network lone encap=vxlan subnet=10.9.1.0/24",
		"policy p", "policy q", "group web networkName=blue policies=p", "group db networkName=blue policies=q",
		"attach blue web-1 group=web", "attach blue db-1 group=db", "attach blue free", "attach lone lonely",
		"rule p:ssh direction=in protocol=tcp port=22 action=deny", "rule p:dbssh direction=in protocol=tcp port=22 action=allow fromEndpointGroup=db priority=10",
		"rule q:out direction=out protocol=udp action=deny",
		"service shop networkName=blue selectors=app=shop ports=80:8080:TCP ipAddress=10.1.1.99", "start blue free labels=app:shop",
		"tenant acme", "network red encap=vxlan subnet=10.2.2.0/24 tenantName=acme", "attach red other tenantName=acme")
	asker := why.New(w.Catalog, switches(nil), nil, history.Keep{})
	for _, row := range []struct {
		name, from, to, protocol string
		port                     int
		want                     string
	}{
		{"no rule", "free", "web-1", "tcp", 80, "allowed: no rule speaks of tcp 80, so it passes"},
		{"denied by a rule", "free", "web-1", "tcp", 22, "denied: rule default:p:ssh denies tcp 22"},
		{"allowed by a rule that counts more", "db-1", "web-1", "tcp", 22,
			"allowed: rule default:p:dbssh allows tcp 22"},
		{"denied on the way out", "db-1", "web-1", "udp", 53, "denied: rule default:q:out denies udp 53"},
		{"a rule of another protocol", "db-1", "web-1", "icmp", 0,
			"allowed: no rule speaks of a ping, so it passes"},
		{"another tenant", "free", "other", "icmp", 0,
			"denied: default:blue:free is of tenant default and acme:red:other of tenant acme, which are apart"},
		{"no gateway", "lonely", "web-1", "icmp", 0,
			"denied: network default:lone has no gateway, and default:blue:web-1 is not on it"},
		{"the gateway", "free", "10.1.1.254", "icmp", 0, "allowed: no rule speaks of a ping, so it passes"},
		{"more than pings of the gateway", "free", "10.1.1.254", "tcp", 22,
			"denied: 10.1.1.254 is the gateway of network default:blue, which answers only pings and DNS queries"},
		{"an address that no container has", "free", "10.1.1.77", "icmp", 0,
			"denied: no container has 10.1.1.77, an address of network default:blue"},
		{"itself", "free", "free", "icmp", 0,
			"unknown: both ends are the same container: no switch sees its packets"},
		{"a service", "web-1", "shop", "tcp", 80, "allowed: no rule speaks of tcp 8080, so it passes"},
		{"a port that it does not have", "web-1", "shop", "tcp", 81,
			"denied: service default:shop has no port tcp 81"},
		{"neither end is ours", "8.8.8.8", "9.9.9.9", "icmp", 0, "unknown: neither end is Contiv's"},
		{"outside", "free", "8.8.8.8", "tcp", 443, "allowed: no rule speaks of tcp 443, so it passes"},
	} {
		t.Run(row.name, func(t *testing.T) {
			out, err := asker.Ask(t.Context(), model.WhyRequest{From: row.from, To: row.to, Protocol: row.protocol, Port: row.port})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(out.Intent.Verdict) + ": " + out.Intent.Text; got != row.want {
				t.Errorf("%s to %s\nwant %q\ngot  %q", row.from, row.to, row.want, got)
			}
		})
	}
}
