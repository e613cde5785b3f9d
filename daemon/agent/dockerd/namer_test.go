// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Networks that were made for networks of this engine, and have no name, get the engine's; what cannot be named is asked for once, and what fails again.
func TestNamer(t *testing.T) {
	f, c := newFake(t), newCluster()
	f.change("", func() {
		for id, name := range map[string]string{"n1": "shop_default", "n2": "named", "n3": "theirs", "n4": "plain"} {
			f.networks[id] = &fakeNetwork{ID: id, Name: name, Driver: "netplugin"}
		}
	})
	made := func(id, network, host string) record.DockerNetwork {
		return record.DockerNetwork{ID: id, Network: identity.Network{Tenant: "default", Name: network}, Host: host, Made: true}
	}
	n := NewNamer(f.watch(), c, c, "h1", slog.New(slog.DiscardHandler))
	n.first, n.maxWait = 5*time.Millisecond, 20*time.Millisecond
	f.background(n.Run)
	c.change(func() {
		c.docknets = []record.DockerNetwork{made("n1", "n1", "h1"), made("n2", "named", "h1"), made("n3", "n3", "h2"), {ID: "n4", Network: identity.Network{Tenant: "default", Name: "n4"}, Host: "h1"}}
	})
	asked := func(want ...string) func() bool {
		return func() bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			var got []string
			for _, q := range c.named {
				got = append(got, q.ID+"="+q.Name)
			}
			return slices.Equal(got, want)
		}
	}
	until(t, "one named", asked("n1=shop_default"))
	c.change(func() {
		c.refuses = model.Errorf(model.CodeInUse, "ID", "it has endpoints")
		c.docknets = append(c.docknets, made("n5", "n5", "h1"))
	})
	f.change(`{"Type":"network","Action":"create","Actor":{"ID":"n5"}}`, func() { f.networks["n5"] = &fakeNetwork{ID: "n5", Name: "used", Driver: "netplugin"} })
	until(t, "one that is in use asked for", asked("n1=shop_default", "n5=used"))
	c.change(func() {})
	c.change(func() {
		c.refuses = nil
		c.docknets = append(c.docknets, made("n6", "n6", "h1"))
	})
	f.change(`{"Type":"network","Action":"create","Actor":{"ID":"n6"}}`, func() { f.networks["n6"] = &fakeNetwork{ID: "n6", Name: "late", Driver: "netplugin"} })
	until(t, "the next named, and the one in use not asked for again", asked("n1=shop_default", "n5=used", "n6=late"))
}

// A network of the engine's user for which a network was made, under its name, is not made a second time.
func TestKeeperSpares(t *testing.T) {
	f, c := newFake(t), newCluster()
	f.change("", func() { f.networks["n1"] = &fakeNetwork{ID: "n1", Name: "shop_default", Driver: "netplugin"} })
	c.docknets = []record.DockerNetwork{{ID: "n1", Network: identity.Network{Tenant: "default", Name: "shop-default"}, Host: "h1", Made: true}}
	c.segments.Networks = []record.Network{netOf("default", "shop-default", 4), netOf("default", "net", 5)}
	k := f.keep(f.watch(), c)
	until(t, "the other network", func() bool {
		_, problems := k.status()
		return slices.Equal(f.names(), []string{"net", "shop_default"}) && len(problems) == 0
	})
}
