// SPDX-License-Identifier: Apache-2.0

package kubernetes_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store/etcd"
	"github.com/contiv/contiv/trust"
)

// things are the objects of a kind, in lines.
type things struct {
	what  string
	lines []string
	// runtime marks things that the container runtime makes and removes: leftovers are reported, not refused.
	runtime bool
}

// emptyNamespaces are network namespaces without an interface of a pod. The runtime makes one before it invokes any plugin, and has to
// remove it (CNI specification, section 3). containerd loses one that it has just made when it is killed before it has noted it
// (containerd/cri issue 568), with the plugin bridge as well.
const emptyNamespaces = "network namespaces without an interface"

// inventory is what the cluster has: records, addresses, and on each host what pods leave when they are not cleared away.
func (c *cluster) inventory() []things {
	c.t.Helper()
	own, err := trust.Open(c.Trust(), trust.Master)
	if err != nil {
		c.t.Fatal(err)
	}
	db, err := etcd.Open(etcd.Config{Endpoints: []string{fmt.Sprintf("https://10.254.%d.1:2379", c.Number)}, TLS: own.Client(trust.Master, "")})
	if err != nil {
		c.t.Fatal(err)
	}
	defer db.Close()
	items, _, err := db.List(c.t.Context(), record.State)
	if err != nil {
		c.t.Fatal(err)
	}
	records := things{what: "records"}
	for _, i := range items {
		records.lines = append(records.lines, i.Key)
	}
	out := []things{records, {what: "endpoints", lines: c.endpoints()}}
	for _, network := range []string{"default-net", "green"} {
		out = append(out, things{what: "addresses of " + network, lines: strings.Fields(c.netctl("ip", "show", network, "-o", "name"))})
	}
	for _, host := range []string{"h1", "h2"} {
		for _, row := range []struct{ what, script string }{
			{"interfaces", "ls /sys/class/net"},
			{"ports of switches", "ovs-vsctl --bare --columns=name list interface | grep ."},
			{"numbers of flows", "for b in $(ovs-vsctl list-br); do echo $b $(ovs-ofctl -O OpenFlow13 dump-aggregate $b | grep -o 'flow_count=.*'); done"},
			{"nftables", "nft -s list ruleset"},
			{"network namespaces with interfaces of pods", "for n in $(ls /run/netns); do ip -n $n -o link show type veth 2>/dev/null | grep -q . && echo $n; done; true"},
			{emptyNamespaces, "for n in $(ls /run/netns); do ip -n $n -o link show type veth 2>/dev/null | grep -q . || echo $n; done; true"},
		} {
			text, err := c.on(host, row.script)
			if err != nil {
				c.t.Fatalf("%s of %s: %v", row.what, host, err)
			}
			lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
			out = append(out, things{what: row.what + " of " + host, lines: lines, runtime: row.what == emptyNamespaces})
		}
	}
	for i := range out {
		slices.Sort(out[i].lines)
	}
	return out
}

// settles waits until everything is as before. Endpoints that a runtime lost without a request are released within two minutes.
func (c *cluster) settles(before []things) {
	c.t.Helper()
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(time.Second) {
		var differ, lost []string
		for i, now := range c.inventory() {
			was := before[i]
			for _, l := range now.lines {
				switch {
				case slices.Contains(was.lines, l):
				case now.runtime:
					lost = append(lost, now.what+": "+l)
				default:
					differ = append(differ, "+ "+now.what+": "+l)
				}
			}
			for _, l := range was.lines {
				if !slices.Contains(now.lines, l) {
					differ = append(differ, "- "+now.what+": "+l)
				}
			}
		}
		if len(differ) == 0 {
			c.t.Logf("all is as before; the runtime lost %d: %v", len(lost), lost)
			return
		}
		if time.Now().After(end) {
			c.t.Errorf("after the pods that came and went, it is not as before:\n%s", strings.Join(differ, "\n"))
			return
		}
	}
}
