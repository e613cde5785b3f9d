// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/test/machines/machine"
)

// timeout is how long a cluster may take to be as it should be after what was done to it.
const timeout = 3 * time.Minute

// cluster is machines that contiv init and contiv join have made hosts of a cluster. Each has an agent.
type cluster struct {
	hosts   []*machine.Machine
	masters []*machine.Machine // those of the hosts that have a netmaster too
	copies  string             // directory on this machine, until the test ends, with copies of the operator's certificate
	trust   string             // the copy with which the operator proves to be one
	before  map[string]string  // states of the machines before they became hosts, by name
}

// newCluster boots machines and makes them a cluster with the network blue, as docs/tutorials/install.md says: some with a netmaster, and
// further ones with an agent only. The second machine has its store on a disk of its own, and the last one has an uplink.
func newCluster(t *testing.T, masters, agents int) *cluster {
	t.Helper()
	return newClusterOf(t, filepath.Join(checkout(t), "bin"), masters, agents)
}

// newClusterOf is newCluster with the programs in a directory.
func newClusterOf(t *testing.T, bin string, masters, agents int) *cluster {
	t.Helper()
	return newClusterBy(t, masters, agents, func(m *machine.Machine) { install(t, m, bin) })
}

// newClusterBy is newCluster with what installs the programs on a machine.
func newClusterBy(t *testing.T, masters, agents int, install func(*machine.Machine)) *cluster {
	t.Helper()
	c := &cluster{hosts: boot(t, masters+agents, machine.Spec{Memory: 1500, Disks: 1}), before: map[string]string{}, copies: t.TempDir()}
	c.masters = c.hosts[:masters]
	for i, m := range c.hosts {
		if i == 1 {
			run(t, m, "mkfs.ext4 -q -m 0 /dev/ubdb && mkdir -p /var/lib/contiv && echo /dev/ubdb /var/lib/contiv ext4 defaults 0 2 >>/etc/fstab && systemctl daemon-reload && mount /var/lib/contiv")
		}
		install(m)
		c.before[m.Name] = state(t, m)
	}
	first := c.hosts[0]
	run(t, first, "contiv init --address "+first.Address())
	for i, m := range c.hosts[1:] {
		create, join := "contiv token create", "contiv join --address "+m.Address()
		if i+1 < masters {
			create, join = create+" --master", join+" --master"
		}
		if i == len(c.hosts)-2 {
			join += " --vlan-uplinks eth1"
		}
		run(t, m, join+" "+invitation(t, strings.Fields(run(t, first, create))))
	}
	c.copyTrust(t)
	c.settles(t)
	c.must(t, "net", "create", "blue", "--encap", "vxlan", "--subnet", "10.20.0.0/16", "--gateway", "10.20.255.254")
	return c
}

// install copies the programs in a directory onto a machine, as an operator does.
func install(t *testing.T, m *machine.Machine, bin string) {
	t.Helper()
	if err := m.Mount(t.Context(), bin); err != nil {
		t.Fatal(err)
	}
	run(t, m, "cd "+bin+" && install contiv netctl netmaster netplugin contivk8s /usr/local/bin && cd / && umount "+bin)
}

// invitation is the TOKEN@ADDRESS among the words that contiv token create prints.
func invitation(t *testing.T, words []string) string {
	t.Helper()
	for _, w := range words {
		if strings.Contains(w, "@") {
			return w
		}
	}
	t.Fatalf("contiv token create prints no TOKEN@ADDRESS: %s", strings.Join(words, " "))
	return ""
}

// copyTrust copies the first user's certificate from the first host.
func (c *cluster) copyTrust(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp(c.copies, "")
	if err != nil {
		t.Fatal(err)
	}
	files := c.hosts[0].Command(t.Context(), "tar -C /etc/contiv/trust -c .")
	pack, err := files.Output()
	if err != nil {
		t.Fatal(err)
	}
	unpack := exec.Command("tar", "-x", "-C", dir)
	unpack.Stdin = bytes.NewReader(pack)
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c.trust = dir
}

// netctl is the operator's netctl, on a machine of the hosts' network.
func (c *cluster) netctl(ctx context.Context, args ...string) (string, error) {
	var urls []string
	for _, m := range c.masters {
		urls = append(urls, "https://"+m.Address()+":9999")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		return "", err
	}
	cmd := c.hosts[0].Beside(ctx, filepath.Join(root, "bin", "netctl"), args...)
	cmd.Env = append(os.Environ(), "NETMASTER="+strings.Join(urls, ","), "CONTIV_TRUST="+c.trust)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("netctl %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// must is netctl that has to succeed.
func (c *cluster) must(t *testing.T, args ...string) string {
	t.Helper()
	out, err := c.netctl(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// settles waits until each machine that is on is ready as netmaster and as agent, and no switch has a flow that it refuses.
func (c *cluster) settles(t *testing.T) {
	t.Helper()
	var last error
	c.within(t, func(ctx context.Context) bool {
		err := c.well(ctx)
		if err == nil || ctx.Err() == nil { // that the time was over says nothing
			last = err
		}
		return err == nil
	}, func() string { return fmt.Sprintf("the cluster is not well: %v", last) })
}

// well returns an error for problems of the cluster's nodes.
func (c *cluster) well(ctx context.Context) error {
	out, err := c.netctl(ctx, "node", "ls", "--json")
	if err != nil {
		return err
	}
	var nodes []struct {
		Name, Role, Reason string
		Ready              bool
		Errors             int
	}
	if err := json.Unmarshal([]byte(out), &nodes); err != nil {
		return fmt.Errorf("%w in %s", err, out)
	}
	ready := 0
	for _, n := range nodes {
		switch {
		case n.Ready && n.Errors == 0:
			ready++
		default:
			return fmt.Errorf("%s %s: ready %t, %d errors: %s", n.Role, n.Name, n.Ready, n.Errors, n.Reason)
		}
	}
	if want := len(c.masters) + len(c.hosts); ready != want {
		return fmt.Errorf("%d of %d nodes: %s", ready, want, out)
	}
	return nil
}

// within waits until something is so.
func (c *cluster) within(t *testing.T, is func(context.Context) bool, otherwise func() string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	for !is(ctx) {
		select {
		case <-ctx.Done():
			t.Fatalf("not within %s: %s", timeout, otherwise())
		case <-time.After(time.Second):
		}
	}
}

// conf is the CNI configuration of containers.
const conf = `{"cniVersion":"1.0.0","name":"contiv","type":"contivk8s","tenant":"default","network":"blue"}`

// attach connects a container without a runtime, by the CNI plugin, and returns its address.
func attach(t *testing.T, m *machine.Machine, name string) string {
	t.Helper()
	run(t, m, "ip netns add "+name)
	out := cni(t, m, "ADD", name)
	var result struct {
		IPs []struct{ Address string }
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil || len(result.IPs) == 0 {
		t.Fatalf("ADD of %s on %s: %v: %s", name, m.Name, err, out)
	}
	address, _, _ := strings.Cut(result.IPs[0].Address, "/")
	return address
}

// detach disconnects a container that attach connected, and deletes it.
func detach(t *testing.T, m *machine.Machine, name string) {
	t.Helper()
	cni(t, m, "DEL", name)
	run(t, m, "ip netns del "+name)
}

// again is the error of a plugin by which runtimes repeat a command; earlier versions have a space in it.
var again = regexp.MustCompile(`"code": ?11,`)

// cni calls the CNI plugin for a container and returns its answer. As runtimes do, it repeats a command whose answer is to try again
// later (CNI specification, error code 11).
func cni(t *testing.T, m *machine.Machine, command, name string) string {
	t.Helper()
	shell := fmt.Sprintf("echo '%s' | CNI_COMMAND=%s CNI_CONTAINERID=%[3]s CNI_NETNS=/run/netns/%[3]s CNI_IFNAME=eth0 CNI_PATH=/usr/local/bin:/opt/cni/bin PATH=$PATH:/opt/cni/bin contivk8s", conf, command, name)
	for end := time.Now().Add(timeout); ; <-time.After(time.Second) {
		out, err := m.Run(t.Context(), shell)
		if err == nil {
			return out
		}
		if !again.MatchString(err.Error()) || time.Now().After(end) {
			t.Fatal(err)
		}
		t.Logf("%s of %s on %s is repeated: %v", command, name, m.Name, err)
	}
}

// pinger pings from a container until it is stopped.
type pinger struct {
	name string
	in   io.Closer
	cmd  *exec.Cmd
	out  bytes.Buffer
}

// startPings begins, with a ping every 10 ms.
func startPings(t *testing.T, m *machine.Machine, from, to string) *pinger {
	t.Helper()
	return startPingsEvery(t, "0.01", m, from, to)
}

// startPingsEvery begins, with a ping in each interval, in seconds. The ping ends with its input, so that it does not outlive the test.
func startPingsEvery(t *testing.T, interval string, m *machine.Machine, from, to string) *pinger {
	t.Helper()
	p := &pinger{name: from + " on " + m.Name + " to " + to}
	p.cmd = m.Command(t.Context(), "ip netns exec "+from+" ping -q -i "+interval+" -W 2 "+to+" & cat >/dev/null; kill -INT $!; wait $!")
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.in = in
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// lost ends the pings, and returns the numbers of sent and of unanswered ones. The one in progress at the end does not count.
func (p *pinger) lost(t *testing.T) (sent, lost int) {
	t.Helper()
	if err := p.in.Close(); err != nil {
		t.Error(err)
	}
	_ = p.cmd.Wait() // ping exits with 1 when nothing came back, which the counts say too
	for line := range strings.Lines(p.out.String()) {
		var received int
		if n, _ := fmt.Sscanf(strings.TrimSpace(line), "%d packets transmitted, %d received", &sent, &received); n == 2 {
			return sent, max(0, sent-received-1)
		}
	}
	t.Fatalf("pings of %s say: %s", p.name, p.out.String())
	return 0, 0
}

// writer creates tenants one after the other, and remembers those that the cluster has acknowledged.
type writer struct {
	stop    context.CancelFunc
	done    chan struct{}
	acked   []string
	refused string // the output of the last one that failed
}

func startWriter(t *testing.T, c *cluster, prefix string) *writer {
	ctx, stop := context.WithCancel(t.Context())
	w := &writer{stop: stop, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		for n := 0; ctx.Err() == nil; n++ {
			name := fmt.Sprintf("%s%d", prefix, n)
			once, cancel := context.WithTimeout(context.Background(), 20*time.Second) // one that is in progress is let to its end
			out, err := c.netctl(once, "tenant", "create", name)
			if err == nil {
				w.acked = append(w.acked, name)
			} else {
				w.refused = out
			}
			cancel()
		}
	}()
	return w
}

// check ends the writer, and requires that everything acknowledged is there.
func (w *writer) check(t *testing.T, c *cluster) {
	t.Helper()
	w.stop()
	<-w.done
	if len(w.acked) == 0 {
		t.Errorf("no write was acknowledged, the last one with\n%s", w.refused)
	}
	there := map[string]bool{}
	for _, name := range strings.Fields(c.must(t, "tenant", "ls")) {
		there[name] = true
	}
	for _, name := range w.acked {
		if !there[name] {
			t.Errorf("tenant %s was acknowledged, and is lost", name)
		}
	}
	t.Logf("%d writes were acknowledged", len(w.acked))
}
