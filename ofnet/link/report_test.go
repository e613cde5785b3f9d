// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/contiv/contiv/ofnet/link"
)

// All that others reach the host by, and what is called like an interface: neither loopback, nor links' addresses, nor what is Contiv's
// or a container's.
func TestReport(t *testing.T) {
	h, ns := open(t)
	ns.IP("link", "set", "lo", "up")
	for _, name := range []string{"eth0", "br-phy", "inb01", "host0", "container0", "uplink"} {
		ns.IP("link", "add", name, "type", "veth", "peer", "name", "far-"+name)
		ns.IP("link", "set", name, "up")
	}
	ns.IP("link", "set", "host0", "group", fmt.Sprint(link.GroupHost))
	ns.IP("link", "set", "container0", "group", fmt.Sprint(link.GroupLive))
	for dev, addrs := range map[string][]string{"lo": {"192.0.2.7/32", "127.0.0.9/8"}, "eth0": {"192.0.2.1/24", "192.0.2.9/24", "2001:db8::1/64"}, "br-phy": {"10.0.0.1/8"},
		"inb01": {"198.51.100.1/24"}, "host0": {"172.19.255.254/16"}} {
		for _, a := range addrs {
			ns.IP("addr", "add", a, "dev", dev)
		}
	}
	got, err := h.Report([]string{"uplink"}, []string{"inb01"})
	if err != nil {
		t.Fatal(err)
	}
	got.Names = slices.DeleteFunc(got.Names, func(name string) bool { return name == "sit0" }) // which a kernel with tunnels of IPv6 in IPv4 has in each namespace
	if addrs, names := fmt.Sprint(got.Addrs), fmt.Sprint(got.Names); addrs != "[10.0.0.1/8 192.0.2.1/24 192.0.2.9/24 192.0.2.7/32 2001:db8::1/64]" || names != "[br-phy eth0 lo uplink]" {
		t.Errorf("got %s, %s", addrs, names)
	}
}
