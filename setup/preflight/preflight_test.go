package preflight

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// fake is a machine without problems, unless fields change that.
type fake struct {
	user    bool
	missing string
	kernel  string
	version string
	silent  error
	taken   string
	mtu     int
	free    int64
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func (f fake) Root() bool                                     { return !f.user }
func (f fake) Module(_ context.Context, name string) bool     { return name != f.missing }
func (f fake) Kernel() (string, error)                        { return f.kernel, nil }
func (f fake) Free(string) (int64, error)                     { return f.free, nil }
func (f fake) Now() time.Time                                 { return noon }
func (f fake) Switch(context.Context, string) (string, error) { return f.version, f.silent }

func (f fake) Listen(_, address string) error {
	if address == f.taken {
		return errors.New("address already in use")
	}
	return nil
}

func (f fake) MTU(a netip.Addr) (int, string, error) {
	if a != netip.MustParseAddr("192.0.2.1") {
		return 0, "", fmt.Errorf("no interface has %s", a)
	}
	return f.mtu, "eth0", nil
}

func TestRun(t *testing.T) {
	here := netip.MustParseAddr("192.0.2.1")
	fine := func(string) (fake, Subject) {
		return fake{kernel: "6.1.0-28-amd64", version: "3.1.0", mtu: 1600, free: 20 << 30}, Subject{Label: "h1", Address: here, VTEP: here, VXLAN: true, Switch: "/run/openvswitch/db.sock", Store: "/var/lib/contiv/store",
			Ports: []Port{{"tcp", "192.0.2.1:9999", "netmaster"}}, Clock: func(context.Context) (time.Time, error) { return noon.Add(-time.Second), nil }}
	}
	for name, c := range map[string]struct {
		change func(*fake, *Subject)
		want   string // check and problem, "minor " before; "": no finding
		remedy string
	}{
		"all is well":            {func(*fake, *Subject) {}, "", ""},
		"a user":                 {func(f *fake, _ *Subject) { f.user = true }, "account: this user is not root", "sudo"},
		"no label":               {func(_ *fake, s *Subject) { s.Label = "" }, `label: got ""`, "--label"},
		"a label with a slash":   {func(_ *fake, s *Subject) { s.Label = "a/b" }, `label: got "a/b"`, "--label"},
		"localhost":              {func(_ *fake, s *Subject) { s.Label = "localhost" }, "label: the machine is called localhost", "hostnamectl"},
		"an address elsewhere":   {func(_ *fake, s *Subject) { s.Address = netip.MustParseAddr("192.0.2.9") }, "address: no interface", "--address"},
		"loopback":               {func(_ *fake, s *Subject) { s.VTEP = netip.MustParseAddr("127.0.0.1") }, "address: other hosts cannot reach this one at 127.0.0.1", "--vtep-ip"},
		"an old kernel":          {func(f *fake, _ *Subject) { f.kernel = "5.4.0-216-generic" }, "kernel: the kernel 5.4.0-216-generic is too old", "5.10"},
		"the oldest kernel":      {func(f *fake, _ *Subject) { f.kernel = "5.10.0-35-amd64" }, "", ""},
		"a candidate":            {func(f *fake, _ *Subject) { f.kernel = "7.0-rc1" }, "", ""},
		"a kernel of its own":    {func(f *fake, _ *Subject) { f.kernel = "custom" }, `minor kernel: the release of the kernel: got "custom", want a version`, "5.10"},
		"old, and no agent":      {func(f *fake, s *Subject) { f.kernel, s.Switch = "4.19.0", "" }, "", ""},
		"no veth":                {func(f *fake, _ *Subject) { f.missing = "veth" }, "kernel: the kernel has no module veth", "modprobe veth"},
		"no openvswitch":         {func(f *fake, _ *Subject) { f.missing = "openvswitch" }, "minor kernel: ", "modprobe openvswitch"},
		"no agent, no module":    {func(f *fake, s *Subject) { f.missing, s.Switch = "veth", "" }, "", ""},
		"a switch that is off":   {func(f *fake, _ *Subject) { f.silent = errors.New("refused") }, "Open vSwitch: Open vSwitch does not answer", "apt-get install"},
		"a switch that is old":   {func(f *fake, _ *Subject) { f.version = "2.9.8" }, "Open vSwitch: Open vSwitch 2.9.8 is too old", "3.1"},
		"one that is not new":    {func(f *fake, _ *Subject) { f.version = "2.17.9" }, "minor Open vSwitch: ", "3.1"},
		"one of ten":             {func(f *fake, _ *Subject) { f.version = "10.0" }, "", ""},
		"a version that is none": {func(f *fake, _ *Subject) { f.version = "devel" }, "minor Open vSwitch: ", "3.1"},
		"a taken port":           {func(f *fake, _ *Subject) { f.taken = "192.0.2.1:9999" }, "ports: tcp 192.0.2.1:9999, of netmaster, is in use", "ss -lntup"},
		"the usual MTU":          {func(f *fake, _ *Subject) { f.mtu = 1500 }, "minor MTU: the MTU of eth0 is 1500: containers of tunnelled networks get 1450", "mtu 1550"},
		"the usual, VLAN":        {func(f *fake, s *Subject) { f.mtu, s.VXLAN = 1500, false }, "", ""},
		"a small MTU":            {func(f *fake, _ *Subject) { f.mtu = 1300 }, "MTU: the MTU of eth0 is 1300: tunnels leave containers 1250", "ip link set eth0"},
		"a late clock": {func(_ *fake, s *Subject) {
			s.Clock = func(context.Context) (time.Time, error) { return noon.Add(time.Hour), nil }
		}, "clock: this machine's clock differs by -1h0m0s", "timedatectl"},
		"no netmaster": {func(_ *fake, s *Subject) {
			s.Clock = func(context.Context) (time.Time, error) { return noon, errors.New("refused") }
		}, "clock: the netmaster does not answer", "contiv token create"},
		"a full disk":  {func(f *fake, _ *Subject) { f.free = 5 << 20 }, "disk: 5 MiB are free", "free some space"},
		"a small disk": {func(f *fake, _ *Subject) { f.free = 2 << 30 }, "minor disk: ", "netctl leader"},
	} {
		f, s := fine(name)
		c.change(&f, &s)
		found := Run(t.Context(), f, &s)
		if c.want == "" {
			if len(found) > 0 {
				t.Errorf("%s: want nothing, got %+v", name, found)
			}
			continue
		}
		if len(found) != 1 {
			t.Errorf("%s: want one finding, got %+v", name, found)
			continue
		}
		got := found[0].Check + ": " + found[0].Problem
		if found[0].Minor {
			got = "minor " + got
		}
		if !strings.HasPrefix(got, c.want) || !strings.Contains(found[0].Remedy, c.remedy) {
			t.Errorf("%s: want %q (%s), got %q (%s)", name, c.want, c.remedy, got, found[0].Remedy)
		}
	}
}

// Local returns plausible values of the test's machine.
func TestLocal(t *testing.T) {
	m := Local{}
	if mtu, name, err := m.MTU(netip.MustParseAddr("127.0.0.1")); err != nil || mtu < minMTU || name != "lo" {
		t.Errorf("want lo's MTU, got %d of %s, %v", mtu, name, err)
	}
	if free, err := m.Free(t.TempDir() + "/not/yet"); err != nil || free <= 0 {
		t.Errorf("want the space of the parent directory, got %d, %v", free, err)
	}
	if !m.Module(t.Context(), "veth") || m.Module(t.Context(), "no_such_module") {
		t.Error("want the module veth, which this test's machine has, and not an unknown one")
	}
	if release, err := m.Kernel(); err != nil || release == "" {
		t.Errorf("want the kernel's release, got %q, %v", release, err)
	} else if _, ok := numbers(release); !ok {
		t.Errorf("want two numbers in %q", release)
	}
	if err := m.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Error(err)
	}
	if err := m.Listen("tcp", "192.0.2.1:0"); err == nil {
		t.Error("want an address elsewhere refused")
	}
	if _, err := m.Switch(t.Context(), t.TempDir()+"/db.sock"); err == nil {
		t.Error("want a missing socket refused")
	}
}
