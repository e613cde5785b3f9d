// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/openflow"
	"github.com/contiv/contiv/ofnet/ovstest"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

// more adds rules of all sorts, services, and endpoints that a rule separates.
const more = `
rule one group=blue:db in deny priority=10 peer=blue:web proto=tcp ports=80
rule two group=blue:db in deny priority=5 from=10.1.0.0/25 proto=udp ports=1000-2000
rule three group=blue:web out allow priority=20 proto=tcp ports=80,443
rule four group=blue:web out deny priority=10 network=blue:vl
endpoint b3 network=blue:vl host=h1 port=12 mac=02:02:67:01:00:03 ip=10.2.0.3 ip6=fd02::3
endpoint c3 network=blue:rx host=h1 port=13 mac=02:02:69:01:00:03 ip=10.3.0.3
service blue:shop address=10.1.0.100 ports=tcp:8080:80 backends=10.1.0.2,10.1.0.3
service blue:late cluster=10.3.0.100 ports=udp:5000:1000,tcp:443:443 backends=10.3.0.2,10.3.0.3
`

// text reads a State of the tests of the pipeline.
func text(t testing.TB, file string) string {
	t.Helper()
	out, err := os.ReadFile("../../../ofnet/pipeline/testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// lab is a real switch with all flows of a State.
type lab struct {
	*Comparer
	ovs     *ovstest.OVS
	forward *bridge.Reconciler
	now     time.Time
}

func newLab(t testing.TB, more string) *lab {
	t.Helper()
	s := ofnettest.Parse(t, text(t, "state.txt")+more)
	l := &lab{ovs: ovstest.Start(t), now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
	s.Missing |= l.ovs.Lacks()
	l.ovs.Bridge("br0")
	add := []string{"add-br", "phy", "--", "set", "bridge", "phy", "datapath_type=" + l.ovs.Datapath()}
	port := func(name string, number uint32, options ...string) {
		add = append(append(add, "--", "add-port", "br0", name, "--", "set", "interface", name, fmt.Sprintf("ofport_request=%d", number)), options...)
	}
	for e := range s.Endpoints.Values() {
		if e.Port != 0 {
			port("p"+strconv.Itoa(int(e.Port)), e.Port, "type=internal")
		}
	}
	port("vx", s.Local.Tunnel, "type=vxlan", "options:remote_ip=flow", "options:key=flow")
	port("uplink", s.Local.Uplink, "type=internal")
	port("contivh0", s.Local.Host, "type=internal")
	l.ovs.Vsctl(add...)
	l.ovs.IP("addr", "add", "192.168.251.1/24", "dev", "phy")
	l.ovs.IP("link", "set", "phy", "up")
	p := pipeline.Default()
	l.forward = bridge.NewReconciler("h1", p, bridge.NewOpenFlow(l.ovs.Mgmt("br0"), openflow.Options{}), bridge.Options{})
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { _ = l.forward.Run(ctx); close(ended) }()
	t.Cleanup(func() { cancel(); <-ended })
	l.forward.Update(1, func(to *ofnet.State) { *to = *s })
	late, done := context.WithTimeout(ctx, 20*time.Second)
	defer done()
	if err := l.forward.Wait(late, 1); err != nil {
		t.Fatal(err)
	}
	l.Comparer = New(Options{Host: "h1", Bridge: "br0", Pipeline: p, Forward: l.forward, Control: l.control, Now: func() time.Time { return l.now }, Log: slog.New(slog.DiscardHandler)})
	return l
}

// control runs a command as the agent does: over a connection of its own.
func (l *lab) control(ctx context.Context, command string, args ...string) (string, error) {
	conn, err := vswitchd.Dial(ctx, filepath.Join(l.ovs.Dir, "vswitchd.ctl"))
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	return conn.Do(ctx, command, args...)
}

// steps compares until n more connections were compared, or a difference is confirmed. Time passes with each step.
func (l *lab) steps(t *testing.T, n uint64) {
	t.Helper()
	late := time.After(30 * time.Second)
	for end := l.Compared() + n; l.Compared() < end && l.Differences() == 0; {
		l.step(t.Context())
		l.now = l.now.Add(again / 4)
		select {
		case <-late:
			t.Fatalf("%d comparisons are missing", end-l.Compared())
		default:
		}
	}
}

// findings returns the findings, one per line.
func (l *lab) findings(t *testing.T) string {
	t.Helper()
	var out []string
	for _, f := range l.Check().Look(t.Context()) {
		out = append(out, f.Object+": "+f.Evidence)
	}
	return strings.Join(out, "\n")
}

// Policies and a real switch agree about connections of all sorts; a flow that no comparison of flows finds is named with what it changes,
// until it is gone.
func TestCompare(t *testing.T) {
	l := newLab(t, more)
	l.steps(t, 600)
	if got := l.findings(t); got != "" {
		t.Fatalf("got\n%s", got)
	}
	cookie := uint64(flow.NewCookie(flow.Leased, 1, 99))
	const by = `by cookie=0xff01000000000063,table=0,priority=65000,.* \(which no object of Contiv has caused\)`
	for _, row := range []struct{ name, flow, want string }{
		{"a drop", "in_port=2,ip,nw_src=10.1.0.2,nw_dst=10.1.0.3,actions=drop", `^endpoint/a2: .* from endpoint/a2 to endpoint/a3 is allowed \(no policy is about it\), and the switch drops it, ` + by},
		{"a drop of what arrives", "in_port=1000,tcp,nw_dst=10.1.0.1,actions=drop", `^endpoint/(a1|g1): tcp \d+ from endpoint/(a3|g2) to endpoint/(a1|g1) is allowed .*, and the switch drops it, ` + by},
		{"a way past a rule", "in_port=1,tcp,nw_dst=10.1.0.2,tp_dst=80,actions=output:2", `^endpoint/a1: tcp 80 from endpoint/a1 to endpoint/a2 is denied \(by rule/blue:db:db:one\), and the switch passes it on, ` + by},
		{"a way between tenants", "in_port=9,icmp,nw_dst=10.2.0.1,actions=output:4", `^endpoint/g1: icmp from endpoint/g1 to endpoint/(b1 is denied|k1 is allowed) `},
		{"a service", "in_port=7,tcp,nw_dst=10.1.0.100,actions=drop", `^endpoint/c1: tcp 8080 from endpoint/c1 to service/blue:shop is allowed .*, and the switch drops it, ` + by},
	} {
		l.ovs.Ofctl("add-flow", "br0", fmt.Sprintf("cookie=%#x,table=0,priority=65000,%s", cookie, row.flow))
		l.steps(t, 20000)
		if got := l.findings(t); !regexp.MustCompile("(?m)" + row.want).MatchString(got) {
			t.Errorf("%s: got\n%s\nwant %s", row.name, got, row.want)
		}
		l.ovs.Ofctl("del-flows", "br0", fmt.Sprintf("cookie=%#x/-1", cookie))
		late := time.After(20 * time.Second)
		for l.Differences() > 0 {
			l.now = l.now.Add(again)
			l.step(t.Context())
			select {
			case <-late:
				t.Fatalf("%s: after the repair\n%s", row.name, l.findings(t))
			default:
			}
		}
		if got := l.findings(t); got != "" {
			t.Errorf("%s: after the repair\n%s", row.name, got)
		}
	}
}

// Policies and a real switch agree about services of all sorts.
func TestCompare_Services(t *testing.T) {
	l := newLab(t, text(t, "services.txt"))
	l.steps(t, 600)
	if got := l.findings(t); got != "" {
		t.Errorf("got\n%s", got)
	}
}

// BenchmarkStep is one comparison: its time, and how much of it ovs-vswitchd uses the processor.
func BenchmarkStep(b *testing.B) {
	l := newLab(b, more)
	used := func() float64 {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", l.ovs.SwitchPID()))
		if err != nil {
			b.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		words := strings.Fields(rest) // from field 3 of proc_pid_stat(5): utime and stime are 14 and 15
		user, _ := strconv.Atoi(words[11])
		system, _ := strconv.Atoi(words[12])
		return float64(user+system) * 10000 // µs, at 100 ticks per second
	}
	before := used()
	for b.Loop() {
		l.step(b.Context())
	}
	b.ReportMetric((used()-before)/float64(b.N), "switch-µs/op")
}
