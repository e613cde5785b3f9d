// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/link/linktest"
)

func open(t testing.TB) (*link.Host, *linktest.Namespace) {
	t.Helper()
	ns := linktest.New(t)
	h, err := link.Open(ns.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h, ns
}

// reaping runs the reaper until the test ends and returns a context that bounds the test.
func reaping(t testing.TB, h *link.Host) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	done := make(chan error, 1)
	go func() { done <- h.Reap(ctx, slog.New(slog.DiscardHandler)) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Reap after cancel: want nil, got %v", err)
		}
	})
	return ctx
}

func config(p link.Pair) link.Config {
	return link.Config{Netns: p.Netns, IfName: p.IfName, Host: p.Host, MTU: 1450, SoftSum: true,
		MAC:      net.HardwareAddr{2, 2, 10, 1, 1, 5},
		Addrs:    []netip.Prefix{netip.MustParsePrefix("10.1.1.5/24"), netip.MustParsePrefix("2001:db8::5/64")},
		Gateways: []netip.Addr{netip.MustParseAddr("10.1.1.254"), netip.MustParseAddr("2001:db8::1")}}
}

func TestPairLife(t *testing.T) {
	h, host := open(t)
	ctx := reaping(t, h)
	c := linktest.New(t)
	p := link.Pair{Host: link.Name("e1", 0), Netns: c.Path, IfName: "eth0", MTU: 1500, Alias: "contiv netns=/n owner=cni/x"}
	for range 2 { // the second round finds everything
		if err := h.Create(p); err != nil {
			t.Fatal(err)
		}
		if err := h.Configure(config(p)); err != nil {
			t.Fatal(err)
		}
		if err := h.Check(config(p)); err != nil {
			t.Errorf("check of a fresh pair: %v", err)
		}
	}
	if alias, exists, err := h.Alias(p.Host); err != nil || !exists || alias != p.Alias {
		t.Errorf("alias of the host end: want %q, got %q, %v, %v", p.Alias, alias, exists, err)
	}
	if _, exists, err := h.Alias("vvnobody"); err != nil || exists {
		t.Errorf("alias of no interface: want none, got %v, %v", exists, err)
	}
	for _, row := range []struct{ what, got, want string }{
		{"address", c.IP("-o", "addr", "show", "eth0"), "10.1.1.5/24"},
		{"IPv6 address without detection", c.IP("-o", "-6", "addr", "show", "eth0"), "2001:db8::5/64 scope global nodad"},
		{"MAC and MTU", c.IP("-o", "link", "show", "eth0"), "02:02:0a:01:01:05"},
		{"MTU", c.IP("-o", "link", "show", "eth0"), "mtu 1450"},
		{"lo", c.IP("-o", "link", "show", "lo"), "UP"},
		{"route", c.IP("route"), "default via 10.1.1.254 dev eth0"},
		{"IPv6 route", c.IP("-6", "route"), "default via 2001:db8::1 dev eth0"},
		{"host end", host.IP("-o", "link", "show", p.Host), "state UP"},
		{"host end as the switch wants it", host.IP("-o", "link", "show", p.Host), "PROMISC"},
		{"no address of the host end", host.IP("-d", "-o", "link", "show", p.Host), "addrgenmode none"},
	} {
		if !strings.Contains(row.got, row.want) {
			t.Errorf("%s: want %q in:\n%s", row.what, row.want, row.got)
		}
	}
	out, err := c.Exec("ethtool", "-k", "eth0")
	if err != nil || !strings.Contains(out, "tx-checksumming: off") {
		t.Errorf("checksum offload: want off, got %v:\n%s", err, out)
	}
	h.ScheduleDelete(p.Host)
	h.ScheduleDelete("never-was")
	if err := h.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if got := host.IP("-o", "link"); strings.Contains(got, p.Host) {
		t.Errorf("host end after Flush: want none, got %s", got)
	}
	if err := h.Check(config(p)); !errors.Is(err, link.ErrDiffers) {
		t.Errorf("check of a deleted pair: want ErrDiffers, got %v", err)
	}
	c.Delete()
	if err := h.Create(p); !errors.Is(err, link.ErrNoNamespace) {
		t.Errorf("create in a namespace that is gone: want ErrNoNamespace, got %v", err)
	}
}

// The host's own interfaces may bear the name that a container's gets. Kernels before 6.15 took that for a collision.
func TestCreateBesideHostInterfaceOfSameName(t *testing.T) {
	h, host := open(t)
	host.IP("link", "add", "eth0", "address", "02:00:00:00:00:01", "type", "veth", "peer", "name", "x")
	c := linktest.New(t)
	p := link.Pair{Host: link.Name("e1", 0), Netns: c.Path, IfName: "eth0", MTU: 1500, ContainerMTU: 1450, MAC: net.HardwareAddr{2, 2, 10, 1, 1, 5}}
	if err := h.Create(p); err != nil {
		t.Fatal(err)
	}
	if got := host.IP("-o", "link", "show", "eth0"); !strings.Contains(got, "02:00:00:00:00:01") {
		t.Errorf("the host's eth0: want it as it was, got %s", got)
	}
	inside := c.IP("-d", "-o", "link", "show", "eth0")
	for _, want := range []string{"veth", "state UP", "mtu 1450", "02:02:0a:01:01:05"} {
		if !strings.Contains(inside, want) {
			t.Errorf("the container's eth0: want %q in %s", want, inside)
		}
	}
	if got := host.IP("-d", "-o", "link", "show", p.Host); !strings.Contains(got, fmt.Sprint("group ", link.GroupLive)) || !strings.Contains(got, "mtu 1500") {
		t.Errorf("the host end: want group %d and MTU 1500, got %s", link.GroupLive, got)
	}
}

func TestCreateMeetsLeftovers(t *testing.T) {
	rows := []struct {
		name  string
		setup func(h *link.Host, host, c *linktest.Namespace, p link.Pair) error
		want  error
	}{
		{"pair to another namespace", func(h *link.Host, _, _ *linktest.Namespace, p link.Pair) error {
			p.Netns = linktest.New(t).Path
			return h.Create(p)
		}, nil},
		{"old pair of ours in the container", func(h *link.Host, _, _ *linktest.Namespace, p link.Pair) error {
			p.Host = "vvold"
			return h.Create(p)
		}, nil},
		{"doomed pair", func(h *link.Host, host, _ *linktest.Namespace, p link.Pair) error {
			err := h.Create(p)
			host.IP("link", "set", p.Host, "group", fmt.Sprint(link.GroupDeleting))
			return err
		}, nil},
		{"foreign interface in the container", func(_ *link.Host, _, c *linktest.Namespace, p link.Pair) error {
			c.IP("link", "add", p.IfName, "type", "veth", "peer", "name", "x")
			return nil
		}, link.ErrTaken},
		{"foreign interface on the host", func(_ *link.Host, host, _ *linktest.Namespace, p link.Pair) error {
			host.IP("link", "add", p.Host, "type", "veth", "peer", "name", "x")
			return nil
		}, link.ErrTaken},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			h, host := open(t)
			c := linktest.New(t)
			p := link.Pair{Host: link.Name("e1", 0), Netns: c.Path, IfName: "eth0", MTU: 1500}
			if err := r.setup(h, host, c, p); err != nil {
				t.Fatal(err)
			}
			if err := h.Create(p); !errors.Is(err, r.want) {
				t.Fatalf("Create: want %v, got %v", r.want, err)
			}
			if r.want == nil {
				if err := h.Configure(config(p)); err != nil {
					t.Fatal(err)
				}
				if err := h.Check(config(p)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestManyTogether(t *testing.T) {
	h, _ := open(t)
	ctx := reaping(t, h)
	c := linktest.New(t)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			p := link.Pair{Host: link.Name(fmt.Sprint(i), 0), Netns: c.Path, IfName: fmt.Sprintf("eth%d", i), MTU: 1500}
			if err := h.Create(p); err != nil {
				t.Error(err)
			}
			h.ScheduleDelete(p.Host)
		})
	}
	wg.Wait()
	if err := h.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if names, err := h.Names(); err != nil || len(names) != 0 {
		t.Errorf("host ends after Flush: want none, got %v %v", names, err)
	}
}

// A container that goes and comes back has interfaces of the same names: the reaper, which is late, spares the new one.
func TestCreateWhatIsDoomed(t *testing.T) {
	h, host := open(t)
	ctx := reaping(t, h)
	for i := range 4 {
		c := linktest.New(t)
		p := link.Pair{Host: link.Name("again", 0), Netns: c.Path, IfName: "eth0", MTU: 1500, MAC: net.HardwareAddr{2, 2, 0, 0, 0, byte(i)}}
		if err := h.Create(p); err != nil {
			t.Fatalf("made for the %dth time: %v", i+1, err)
		}
		if err := h.Flush(ctx); err != nil {
			t.Fatal(err)
		}
		if got := host.IP("-o", "link"); !strings.Contains(got, p.Host) {
			t.Errorf("made for the %dth time, while the one before was doomed: want it to stay, got %s", i+1, got)
		}
		if got := c.IP("-o", "link", "show", "eth0"); !strings.Contains(got, p.MAC.String()) {
			t.Errorf("made for the %dth time: want MAC address %s, got %s", i+1, p.MAC, got)
		}
		h.ScheduleDelete(p.Host)
	}
}

func TestSecondInterfaceKeepsDefaultRoute(t *testing.T) {
	h, _ := open(t)
	c := linktest.New(t)
	for i, ifname := range []string{"eth0", "net1"} {
		p := link.Pair{Host: link.Name(ifname, 0), Netns: c.Path, IfName: ifname, MTU: 1500}
		if err := h.Create(p); err != nil {
			t.Fatal(err)
		}
		cfg := link.Config{Netns: c.Path, IfName: ifname, Host: p.Host,
			Addrs:    []netip.Prefix{netip.MustParsePrefix(fmt.Sprintf("10.%d.0.5/24", i))},
			Gateways: []netip.Addr{netip.MustParseAddr(fmt.Sprintf("10.%d.0.1", i))}}
		for range 2 {
			if err := h.Configure(cfg); err != nil {
				t.Fatal(err)
			}
			if err := h.Check(cfg); err != nil {
				t.Error(err)
			}
		}
	}
	if got := c.IP("route", "show", "default"); !strings.Contains(got, "10.0.0.1 dev eth0") || strings.Contains(got, "net1") {
		t.Errorf("default route: want via 10.0.0.1 only, got %s", got)
	}
}

func TestNamespacePaths(t *testing.T) {
	h, _ := open(t)
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ name, path string }{
		{"empty", ""}, {"plain file", plain}, {"missing", dir + "/none"}, {"another kind", "/proc/self/ns/uts"},
	} {
		if err := h.Create(link.Pair{Host: "vvx", Netns: row.path, IfName: "eth0", MTU: 1500}); err == nil {
			t.Errorf("%s: want an error, got none", row.name)
		}
	}
}

func TestNames(t *testing.T) {
	seen := map[string]string{}
	for i := range 2000 {
		for try := range 2 {
			n := link.Name(fmt.Sprintf("id%d", i), try)
			if len(n) > link.NameLimit {
				t.Fatalf("name %s: want at most %d bytes", n, link.NameLimit)
			}
			id := fmt.Sprintf("%d/%d", i, try)
			if other, ok := seen[n]; ok {
				t.Fatalf("name %s: want one owner, got %s and %s", n, other, id)
			}
			seen[n] = id
		}
	}
}

func TestFollowMTU(t *testing.T) {
	h, host := open(t)
	host.IP("link", "add", "eth9", "mtu", "1500", "type", "veth", "peer", "name", "p9")
	host.IP("addr", "add", "192.0.2.1/24", "dev", "eth9")
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	got, done := make(chan int, 8), make(chan error, 1)
	go func() { done <- h.FollowMTU(ctx, netip.MustParseAddr("192.0.2.1"), func(m int) { got <- m }) }()
	next := func(want int) {
		t.Helper()
		select {
		case m := <-got:
			if m != want {
				t.Errorf("MTU: want %d, got %d", want, m)
			}
		case <-ctx.Done():
			t.Fatalf("MTU %d was not reported", want)
		}
	}
	next(1500)
	host.IP("link", "set", "eth9", "mtu", "1400")
	next(1400)
	cancel()
	if err := <-done; err != nil {
		t.Errorf("FollowMTU after cancel: want nil, got %v", err)
	}
	if _, err := h.Underlay(netip.MustParseAddr("192.0.2.99")); err == nil {
		t.Error("interface of an absent address: want an error, got none")
	}
}

func BenchmarkPair(b *testing.B) {
	h, _ := open(b)
	_ = reaping(b, h)
	c := linktest.New(b)
	for i := 0; b.Loop(); i++ {
		p := link.Pair{Host: link.Name(fmt.Sprint(i), 0), Netns: c.Path, IfName: fmt.Sprintf("e%d", i), MTU: 1500}
		if err := h.Create(p); err != nil {
			b.Fatal(err)
		}
		cfg := config(p)
		if err := h.Configure(cfg); err != nil {
			b.Fatal(err)
		}
		h.ScheduleDelete(p.Host)
	}
}

// The container's end of a pair for a runtime stays on the host, down, until that takes it; then the pair is left alone, and the host end
// takes both away.
func TestPairOnTheHost(t *testing.T) {
	h, host := open(t)
	ctx := reaping(t, h)
	c := linktest.New(t)
	name := link.Name("e1", 0)
	p := link.Pair{Host: name, Stays: true, IfName: link.FarName(name), MTU: 1500, ContainerMTU: 1450, MAC: net.HardwareAddr{2, 2, 10, 1, 1, 5}, SoftSum: true}
	create := func(taken bool) {
		t.Helper()
		if err := h.Create(p); err != nil {
			t.Fatal(err)
		}
		if got, err := h.Taken(name); got != taken || err != nil {
			t.Errorf("taken: want %v, got %v, %v", taken, got, err)
		}
	}
	create(false)
	create(false)
	far := host.IP("-o", "link", "show", p.IfName)
	for _, want := range []string{"state DOWN", "mtu 1450", "02:02:0a:01:01:05"} {
		if !strings.Contains(far, want) {
			t.Errorf("the container's end: want %q, got %s", want, far)
		}
	}
	if names, err := h.Names(); err != nil || len(names) != 1 || names[0] != name {
		t.Errorf("live host ends: want only %s, got %v, %v", name, names, err)
	}
	host.IP("link", "set", p.IfName, "netns", c.Name, "name", "eth7")
	create(true)
	if got := c.IP("-o", "link", "show", "eth7"); !strings.Contains(got, "02:02:0a:01:01:05") {
		t.Errorf("the container's end is another: %s", got)
	}
	h.ScheduleDelete(name)
	if err := h.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if got := c.IP("-o", "link"); strings.Contains(got, "eth7") {
		t.Errorf("left in the container: %s", got)
	}
	create(false)
}
