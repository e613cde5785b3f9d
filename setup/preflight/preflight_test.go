// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/setup/preflight/peer"
)

// fake is a machine without problems, unless fields change that.
type fake struct {
	user           bool
	missing        string
	kernel         string
	version        string
	silent         error
	taken          string
	mtu            int
	free           int64
	kernelDatapath error
	files          fstest.MapFS
	outputs        map[string]string // of programs, by their command line; others are not installed
	vswitch        *fakeSwitch
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func (f *fake) Root() bool                                     { return !f.user }
func (f *fake) Module(_ context.Context, name string) bool     { return name != f.missing }
func (f *fake) Datapath() error                                { return f.kernelDatapath }
func (f *fake) Kernel() (string, error)                        { return f.kernel, nil }
func (f *fake) Free(string) (int64, error)                     { return f.free, nil }
func (f *fake) Now() time.Time                                 { return noon }
func (f *fake) Switch(context.Context, string) (string, error) { return f.version, f.silent }

func (f *fake) Listen(_, address string) error {
	if address == f.taken {
		return errors.New("address already in use")
	}
	return nil
}

func (f *fake) MTU(a netip.Addr) (int, string, error) {
	if a != netip.MustParseAddr("192.0.2.1") {
		return 0, "", fmt.Errorf("no interface has %s", a)
	}
	return f.mtu, "eth0", nil
}

func (f *fake) Output(_ context.Context, name string, args ...string) ([]byte, error) {
	line := strings.Join(append([]string{name}, args...), " ")
	if rest, ok := strings.CutPrefix(line, "ovs-vsctl --timeout=10 --db=unix:/run/openvswitch/db.sock "); ok {
		return f.vswitch.vsctl(rest)
	}
	if bridge, ok := strings.CutPrefix(line, "env OVS_RUNDIR=/run/openvswitch ovs-appctl --timeout=10 dpif/show-dp-features "); ok {
		return f.vswitch.features(bridge)
	}
	out, ok := f.outputs[line]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, exec.ErrNotFound)
	}
	return []byte(out), nil
}

func (f *fake) ReadFile(path string) ([]byte, error) { return f.files.ReadFile(path[1:]) }

func (f *fake) Names(dir string) (out []string, err error) {
	all, err := fs.ReadDir(f.files, dir[1:])
	for _, e := range all {
		out = append(out, e.Name())
	}
	return out, err
}

// fakeSwitch is an Open vSwitch. Like the real one it has no interface before its bridge, and accepts every type of datapath.
type fakeSwitch struct {
	broken  string   // type of datapaths that do not work
	lacks   string   // feature
	bridges []string // with their types, as NAME=TYPE
	tunnel  bool
}

func (f *fakeSwitch) kind(bridge string) string {
	for _, b := range f.bridges {
		if kind, ok := strings.CutPrefix(b, bridge+"="); ok {
			return kind
		}
	}
	return ""
}

func (f *fakeSwitch) vsctl(line string) ([]byte, error) {
	words := strings.Fields(line)
	switch {
	case words[0] == "br-exists":
		if f.kind(words[1]) == "" {
			return nil, errors.New("exit status 2")
		}
		return nil, nil
	case strings.HasPrefix(line, "--may-exist add-br "):
		_, kind, _ := strings.Cut(words[7], "=")
		f.bridges = append(f.bridges, words[2]+"="+kind)
		f.tunnel = strings.Contains(line, "type=vxlan")
		return nil, nil
	case strings.HasPrefix(line, "--if-exists del-br "):
		f.bridges, f.tunnel = slices.DeleteFunc(f.bridges, func(b string) bool { return strings.HasPrefix(b, words[2]+"=") }), false
		return nil, nil
	case strings.HasPrefix(line, "get bridge ") && f.kind(words[2]) != "":
		return []byte(f.kind(words[2]) + "\n"), nil
	case strings.HasPrefix(line, "get interface ") && (words[2] == trialBridge && f.kind(trialBridge) != "" || words[2] == trialTunnel && f.tunnel):
		answers := map[string]string{"error": "[]", "ofport": "1"}
		if f.kind(trialBridge) == f.broken {
			answers = map[string]string{"error": `"could not open network device"`, "ofport": "-1"}
		}
		return []byte(answers[words[3]]), nil
	}
	return nil, fmt.Errorf("ovs-vsctl: no row for %q", line)
}

func (f *fakeSwitch) features(bridge string) ([]byte, error) {
	if f.kind(bridge) == "" {
		return nil, fmt.Errorf("no such bridge: %s", bridge)
	}
	out := ""
	for _, name := range []string{"Recirc", "CT state", "CT zone", "CT mark", "CT label", "CT state NAT", "Clone action"} {
		value := "Yes"
		if name == f.lacks {
			value = "No"
		}
		out += name + ": " + value + "\n"
	}
	return []byte(out), nil
}

func TestRun(t *testing.T) {
	here := netip.MustParseAddr("192.0.2.1")
	fine := func() (*fake, *Subject) {
		files := fstest.MapFS{}
		for path, text := range map[string]string{"etc/machine-id": "b08dfa6083e7567a1921a715000001fb\n", "proc/sys/net/ipv4/conf/all/rp_filter": "0\n", "proc/sys/net/ipv4/conf/eth0/rp_filter": "1\n",
			"etc/cni/net.d/10-contiv.conflist": "{}", "etc/cni/net.d/99-loopback.conf": "{}", "etc/cni/net.d/.kept": ""} {
			files[path] = &fstest.MapFile{Data: []byte(text)}
		}
		outputs := map[string]string{"iptables-save": "*filter\n:INPUT ACCEPT [0:0]\nCOMMIT\n", "ip -json -4 route show default": `[{"dst":"default","dev":"eth0"}]`,
			"ip -json -4 route show table all": `[{"dst":"default","dev":"eth0"},{"dst":"192.0.2.0/24","dev":"eth0"},{"dst":"192.0.2.1","dev":"eth0"}]`, "timedatectl show --property=NTPSynchronized --value": "yes\n"}
		report := peer.Report{Peer: "h2", Address: netip.MustParseAddr("192.0.2.2"), Size: 1600, Out: peer.Direction{Small: 3, Large: 3}, In: peer.Direction{Small: 3, Large: 3}}
		return &fake{kernel: "6.1.0-28-amd64", version: "3.1.0", mtu: 1600, free: 20 << 30, files: files, outputs: outputs, vswitch: &fakeSwitch{}},
			&Subject{Label: "h1", Address: here, VTEP: here, VXLAN: true, Switch: "/run/openvswitch/db.sock", Store: "/var/lib/contiv/store", Private: netip.MustParsePrefix("172.19.0.0/16"),
				Ports: []Port{{Network: "tcp", Address: "192.0.2.1:9999", For: "netmaster"}}, Clock: func(context.Context) (time.Time, error) { return noon.Add(-time.Second), nil },
				Peer: func(context.Context) (peer.Report, error) { return report, nil }}
	}
	passed := func(change func(r *peer.Report)) func(*fake, *Subject) {
		return func(_ *fake, s *Subject) {
			r, _ := s.Peer(t.Context())
			change(&r)
			s.Peer = func(context.Context) (peer.Report, error) { return r, nil }
		}
	}
	file := func(path, text string) func(*fake, *Subject) {
		return func(f *fake, _ *Subject) { f.files[path] = &fstest.MapFile{Data: []byte(text)} }
	}
	output := func(line, text string) func(*fake, *Subject) {
		return func(f *fake, _ *Subject) { f.outputs[line] = text }
	}
	const dropsTunnels = "*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -p udp -m udp --dport 4789 -j DROP\nCOMMIT\n"
	for name, c := range map[string]struct {
		change func(*fake, *Subject)
		want   string // check and problem, "warning " before; "": no finding
		remedy string
	}{
		"all is well":                 {func(*fake, *Subject) {}, "", ""},
		"a user":                      {func(f *fake, _ *Subject) { f.user = true }, "account: this user is not root", "sudo"},
		"no label":                    {func(_ *fake, s *Subject) { s.Label = "" }, `label: got ""`, "--label"},
		"a label with a slash":        {func(_ *fake, s *Subject) { s.Label = "a/b" }, `label: got "a/b"`, "--label"},
		"localhost":                   {func(_ *fake, s *Subject) { s.Label = "localhost" }, "label: the machine is called localhost", "hostnamectl"},
		"an address elsewhere":        {func(_ *fake, s *Subject) { s.Address = netip.MustParseAddr("192.0.2.9") }, "address: no interface", "--address"},
		"loopback":                    {func(_ *fake, s *Subject) { s.VTEP = netip.MustParseAddr("127.0.0.1") }, "address: other hosts cannot reach this one at 127.0.0.1", "--vtep-ip"},
		"an old kernel":               {func(f *fake, _ *Subject) { f.kernel = "5.4.0-216-generic" }, "kernel: the kernel 5.4.0-216-generic is too old", "5.10"},
		"the oldest kernel":           {func(f *fake, _ *Subject) { f.kernel = "5.10.0-35-amd64" }, "", ""},
		"a candidate":                 {func(f *fake, _ *Subject) { f.kernel = "7.0-rc1" }, "", ""},
		"a kernel of its own":         {func(f *fake, _ *Subject) { f.kernel = "custom" }, `warning kernel: the release of the kernel: got "custom", want a version`, "5.10"},
		"old, and no agent":           {func(f *fake, s *Subject) { f.kernel, s.Switch = "4.19.0", "" }, "", ""},
		"no veth":                     {func(f *fake, _ *Subject) { f.missing = "veth" }, "kernel: the kernel has no module veth", "modprobe veth"},
		"no openvswitch":              {func(f *fake, _ *Subject) { f.missing, f.kernelDatapath = "openvswitch", link.ErrNoKernelDatapath }, "warning datapath: the kernel has no module openvswitch", "install"},
		"openvswitch not loaded":      {func(f *fake, _ *Subject) { f.kernelDatapath = link.ErrNoKernelDatapath }, "warning datapath: the kernel's module openvswitch is installed but not loaded", "modprobe openvswitch"},
		"a module that does not work": {func(f *fake, _ *Subject) { f.vswitch.broken = "system" }, "warning datapath: the kernel's datapath does not work: Open vSwitch made no port for a bridge", "DATAPATH=netdev"},
		"a switch without a tracker": {func(f *fake, _ *Subject) {
			f.vswitch.lacks, f.kernelDatapath, f.missing = "CT label", errors.New("denied"), ""
		}, "unknown datapath: denied", ""},
		"the agent's bridge":         {func(f *fake, _ *Subject) { f.vswitch.bridges = []string{"contiv0=netdev"} }, "", ""},
		"the agent's without labels": {func(f *fake, _ *Subject) { f.vswitch.bridges, f.vswitch.lacks = []string{"contiv0=system"}, "CT label" }, "datapath: datapath system of Open vSwitch cannot do ct_label: policies and services do not work", "NF_CONNTRACK_LABELS"},
		"no machine-id":              {func(f *fake, _ *Subject) { delete(f.files, "etc/machine-id") }, "warning machine-id: /etc/machine-id does not exist", "systemd-machine-id-setup"},
		"a machine-id to come":       {file("etc/machine-id", "uninitialized\n"), `warning machine-id: /etc/machine-id: got "uninitialized"`, "systemd-machine-id-setup"},
		"a machine-id of an image":   {file("etc/machine-id", strings.Repeat("0123", 8)), "warning machine-id: /etc/machine-id is 0123", "systemd-machine-id-setup"},
		"tunnels dropped":            {output("iptables-save", dropsTunnels), `packet-filter: incoming packets of tunnels (UDP 4789) are dropped by "-A INPUT -p udp -m udp --dport 4789 -j DROP" in filter INPUT`, "iptables -t filter -I INPUT -p udp --dport 4789 -j ACCEPT"},
		"tunnels dropped under ufw": {func(f *fake, s *Subject) {
			output("iptables-save", dropsTunnels)(f, s)
			output("ufw status", "Status: active\n")(f, s)
		}, "packet-filter: incoming", "ufw allow 4789/udp"},
		"dropped by firewalld": {func(f *fake, s *Subject) {
			output("nft -j list ruleset", `{"nftables":[{"table":{"family":"inet","name":"firewalld"}},{"chain":{"family":"inet","table":"firewalld","name":"filter_INPUT","type":"filter","hook":"input","prio":10,"policy":"drop"}},
				{"rule":{"family":"inet","table":"firewalld","chain":"filter_INPUT","handle":4,"expr":[{"match":{"op":"==","left":{"payload":{"protocol":"udp","field":"dport"}},"right":4789}},{"accept":null}]}}]}`)(f, s)
			output("nft -a -s list ruleset", "")(f, s)
			output("firewall-cmd --state", "running\n")(f, s)
		}, `packet-filter: connections to netmaster (TCP 9999) are dropped by "policy drop" in inet firewalld filter_INPUT`, "firewall-cmd --permanent --add-port=9999/tcp"},
		"a filter that depends": {output("iptables-save", strings.ReplaceAll(dropsTunnels, "-j DROP", "-m limit --limit 5/sec -j DROP")), "unknown packet-filter: incoming packets of tunnels (UDP 4789) may be dropped", "iptables"},
		"no tools of filters":   {func(f *fake, _ *Subject) { delete(f.outputs, "iptables-save") }, "unknown packet-filter: neither nft nor iptables-save is installed", ""},
		"damaged rules": {func(f *fake, s *Subject) {
			output("nft -j list ruleset", "{")(f, s)
			output("nft -a -s list ruleset", "")(f, s)
		}, "unknown packet-filter: rules of nftables", ""},
		"a taken port, by whom": {func(f *fake, s *Subject) {
			f.taken = "192.0.2.1:9999"
			output("ss -H -l -n -p -t sport = :9999", `LISTEN 0 4096 *:9999 *:* users:(("nginx",pid=812,fd=6))`)(f, s)
		}, "ports: tcp 192.0.2.1:9999, of netmaster, is in use by nginx (process 812)", "ss -lntup"},
		"a member's own ports": {func(f *fake, s *Subject) { f.taken, s.Member = "192.0.2.1:9999", true }, "", ""},
		"a bridge of the kernel": {func(f *fake, s *Subject) {
			file("proc/sys/net/bridge/bridge-nf-call-iptables", "1\n")(f, s)
			file("sys/class/net/eth0/brif/eth3/state", "3")(f, s)
		}, "warning bridge-filter: net.bridge.bridge-nf-call-iptables is 1, and eth0", "sysctl -w net.bridge"},
		"bridges elsewhere":     {file("proc/sys/net/bridge/bridge-nf-call-iptables", "1\n"), "", ""},
		"a strict reverse path": {output("ip -json -4 route show default", `[{"dst":"default","dev":"eth1"}]`), "warning reverse-path: rp_filter of eth0 is 1, and the default route leads through eth1", "sysctl -w net.ipv4.conf.eth0.rp_filter=2"},
		"a loose reverse path": {func(f *fake, s *Subject) {
			output("ip -json -4 route show default", `[{"dst":"default","dev":"eth1"}]`)(f, s)
			file("proc/sys/net/ipv4/conf/all/rp_filter", "2")(f, s)
		}, "", ""},
		"no default route":      {output("ip -json -4 route show default", ""), "", ""},
		"a route in the subnet": {output("ip -json -4 route show table all", `[{"dst":"172.19.4.0/24","dev":"br-lan"}]`), "warning private-subnet: the cluster's private subnet 172.19.0.0/16 overlaps with the route to 172.19.4.0/24 through br-lan", "netctl global set --private-subnet"},
		"the agent's own route": {output("ip -json -4 route show table all", `[{"dst":"172.19.0.0/16","dev":"contivh0"}]`), "", ""},
		"Docker's own pools":    {file("var/lib/docker/x", ""), "warning private-subnet: Docker may give a network the cluster's private subnet 172.19.0.0/16: its address pool 172.19.0.0/16 overlaps", "default-address-pools"},
		"Docker's other pools": {func(f *fake, s *Subject) {
			file("var/lib/docker/x", "")(f, s)
			file("etc/docker/daemon.json", `{"default-address-pools":[{"base":"10.200.0.0/16","size":24}]}`)(f, s)
		}, "", ""},
		"Docker's damaged file": {func(f *fake, s *Subject) {
			file("var/lib/docker/x", "")(f, s)
			file("etc/docker/daemon.json", `{`)(f, s)
		}, "unknown private-subnet: Docker's address pools were not read: /etc/docker/daemon.json", ""},
		"another network first": {file("etc/cni/net.d/10-calico.conflist", "{}"), "warning cni: /etc/cni/net.d/10-calico.conflist is before 10-contiv.conflist", "mv /etc/cni/net.d/10-calico.conflist /etc/cni/net.d/10-calico.conflist.disabled"},
		"no synchronization":    {output("timedatectl show --property=NTPSynchronized --value", "no\n"), "warning time-synchronization: the clock is not synchronized", "timedatectl set-ntp true"},
		"chrony synchronizes": {func(f *fake, s *Subject) {
			delete(f.outputs, "timedatectl show --property=NTPSynchronized --value")
			output("chronyc -n tracking", "Leap status     : Normal\n")(f, s)
		}, "", ""},
		"chrony does not": {func(f *fake, s *Subject) {
			delete(f.outputs, "timedatectl show --property=NTPSynchronized --value")
			output("chronyc -n tracking", "Leap status     : Not synchronised\n")(f, s)
		}, "warning time-synchronization: the clock is not", ""},
		"nothing reports it": {func(f *fake, s *Subject) { delete(f.outputs, "timedatectl show --property=NTPSynchronized --value") }, "unknown time-synchronization: neither timedatectl nor chronyc", ""},
		"no peer":            {func(_ *fake, s *Subject) { s.Peer = nil }, "unknown peer: UDP 4789 was not tried", "contiv preflight --listen"},
		"a peer that is silent": {func(_ *fake, s *Subject) {
			s.Peer = func(context.Context) (peer.Report, error) {
				return peer.Report{}, errors.New("connect to the peer: refused")
			}
		}, "peer: connect to the peer: refused", "--listen"},
		"nothing arrives there":   {passed(func(r *peer.Report) { r.Out = peer.Direction{} }), "peer: no packet to h2 (192.0.2.2) arrived at UDP 4789", "let UDP 4789 pass on h2"},
		"the peer names the rule": {passed(func(r *peer.Report) { r.Out, r.Filter = peer.Direction{}, "dropped by x: nft insert" }), "peer: no packet to h2 (192.0.2.2) arrived at UDP 4789", "on h2: dropped by x: nft insert"},
		"nothing arrives here":    {passed(func(r *peer.Report) { r.In = peer.Direction{} }), "peer: no packet from h2 (192.0.2.2) arrived at UDP 4789", "this machine"},
		"large packets are lost":  {passed(func(r *peer.Report) { r.In.Large = 0 }), "peer: packets of 1600 bytes from h2 (192.0.2.2) are lost", "MTU"},
		"some packets are lost":   {passed(func(r *peer.Report) { r.Out.Small = 1 }), "warning peer: 2 of 6 packets to h2", ""},
		"the filter refuses":      {passed(func(r *peer.Report) { r.Out = peer.Direction{Error: "refused"} }), "peer: this machine cannot send packets of tunnels: refused", "UDP 4789"},
		"the peer's clock":        {passed(func(r *peer.Report) { r.ClockLead = -time.Hour }), "peer: this machine's clock differs by -1h0m0s from that of h2", "timedatectl"},
		"no agent, no module":     {func(f *fake, s *Subject) { f.missing, s.Switch = "veth", "" }, "", ""},
		"a switch that is off":    {func(f *fake, _ *Subject) { f.silent = errors.New("refused") }, "open-vswitch: Open vSwitch does not answer", "apt-get install"},
		"a switch that is old":    {func(f *fake, _ *Subject) { f.version = "2.9.8" }, "open-vswitch: Open vSwitch 2.9.8 is too old", "3.1"},
		"one that is not new":     {func(f *fake, _ *Subject) { f.version = "2.17.9" }, "warning open-vswitch: ", "3.1"},
		"one of ten":              {func(f *fake, _ *Subject) { f.version = "10.0" }, "", ""},
		"a version that is none":  {func(f *fake, _ *Subject) { f.version = "devel" }, "warning open-vswitch: ", "3.1"},
		"a taken port":            {func(f *fake, _ *Subject) { f.taken = "192.0.2.1:9999" }, "ports: tcp 192.0.2.1:9999, of netmaster, is in use", "ss -lntup"},
		"the usual MTU":           {func(f *fake, _ *Subject) { f.mtu = 1500 }, "warning mtu: the MTU of eth0 is 1500: containers of tunnelled networks get 1450", "mtu 1550"},
		"the usual, VLAN":         {func(f *fake, s *Subject) { f.mtu, s.VXLAN = 1500, false }, "", ""},
		"a small MTU":             {func(f *fake, _ *Subject) { f.mtu = 1300 }, "mtu: the MTU of eth0 is 1300: tunnels leave containers 1250", "ip link set eth0"},
		"a late clock": {func(_ *fake, s *Subject) {
			s.Clock = func(context.Context) (time.Time, error) { return noon.Add(time.Hour), nil }
		}, "clock: this machine's clock differs by -1h0m0s", "timedatectl"},
		"no netmaster": {func(_ *fake, s *Subject) {
			s.Clock = func(context.Context) (time.Time, error) { return noon, errors.New("refused") }
		}, "clock: the netmaster does not answer", "contiv token create"},
		"a full disk":  {func(f *fake, _ *Subject) { f.free = 5 << 20 }, "disk: 5 MiB are free", "free some space"},
		"a small disk": {func(f *fake, _ *Subject) { f.free = 2 << 30 }, "warning disk: ", "netctl leader"},
	} {
		f, s := fine()
		c.change(f, s)
		var found []Result
		for _, r := range Run(t.Context(), f, s) {
			if r.State != OK {
				found = append(found, r)
			} else if r.Summary == "" || r.Remedy != "" {
				t.Errorf("%s: want a summary and no remedy, got %+v", name, r)
			}
		}
		if f.vswitch.kind(trialBridge) != "" {
			t.Errorf("%s: the bridge of the trial remains", name)
		}
		if c.want == "" {
			if len(found) > 0 {
				t.Errorf("%s: want nothing, got %+v", name, found)
			}
			continue
		}
		if len(found) != 1 {
			t.Errorf("%s: want one result, got %+v", name, found)
			continue
		}
		got := found[0].Check + ": " + found[0].Summary
		if found[0].State != Error {
			got = string(found[0].State) + " " + got
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
	if out, err := m.Output(t.Context(), "uname", "-s"); err != nil || string(out) != "Linux\n" {
		t.Errorf("want the output of a program, got %q, %v", out, err)
	}
	if _, err := m.Output(t.Context(), "no-such-program"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("want exec.ErrNotFound for a missing program, got %v", err)
	}
	if names, err := m.Names("/proc/sys/net"); err != nil || !slices.Contains(names, "ipv4") {
		t.Errorf("want the names of a directory, got %v, %v", names, err)
	}
}
