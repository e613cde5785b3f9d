// SPDX-License-Identifier: Apache-2.0

package node_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/ofnet/link/linktest"
)

// isolator imitates the isolator network/cni of a Mesos agent (cni.cpp of Mesos): it keeps a handle of each container's network namespace
// and, as its checkpoint, the configuration and the answer of the plugin. A second isolator with the same directory is a restarted one.
type isolator struct {
	tb   testing.TB
	root string // /run/mesos/isolators/network/cni on a host
	conf string // of the network, less its end
}

// networkInfo has the fields of a result that Mesos reads (spec.proto of Mesos).
type networkInfo struct {
	IP4, IP6 *struct {
		IP, Gateway string
		Routes      []struct{ Dst, GW string }
	}
}

func (s *site) isolator(t testing.TB) *isolator {
	return &isolator{tb: t, root: t.TempDir(), conf: fmt.Sprintf(`{"name":"contiv","type":"netcontiv","socket":%q`, s.mesosSocket())}
}

func (s *site) mesosSocket() string { return filepath.Join(s.ovs.Dir, "cni", "mesos.sock") }

func (i *isolator) file(id, name string) string { return filepath.Join(i.root, id, name) }

// isolate creates the handle of the namespace and the checkpoint, and attaches the container. labels are those of NetworkInfo.
func (i *isolator) isolate(id string, ns *linktest.Namespace, labels string) (networkInfo, error) {
	i.tb.Helper()
	var info networkInfo
	if err := errors.Join(os.MkdirAll(i.file(id, "contiv/eth0"), 0o755), os.WriteFile(i.file(id, "ns"), nil, 0o644),
		unix.Mount(ns.Path, i.file(id, "ns"), "", unix.MS_BIND, "")); err != nil {
		i.tb.Fatal(err)
	}
	i.tb.Cleanup(func() { _ = unix.Unmount(i.file(id, "ns"), unix.MNT_DETACH) })
	args := `,"args":{"org.apache.mesos":{"network_info":{"name":"contiv","labels":{"labels":[` + labels + `]}}}}}`
	if err := os.WriteFile(i.file(id, "contiv/network.conf"), []byte(i.conf+args), 0o644); err != nil {
		i.tb.Fatal(err)
	}
	out, err := i.run("ADD", id)
	if err != nil {
		return info, err
	}
	if err := json.Unmarshal(out, &info); err != nil {
		i.tb.Fatalf("result: %v\n%s", err, out)
	}
	return info, os.WriteFile(i.file(id, "contiv/eth0/network.info"), out, 0o644)
}

// run starts the plugin with the checkpoint as its standard input and only the environment that Mesos sets.
func (i *isolator) run(command, id string) ([]byte, error) {
	i.tb.Helper()
	in, err := os.Open(i.file(id, "contiv/network.conf"))
	if err != nil {
		i.tb.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	var out, errs bytes.Buffer
	cmd := exec.Command(filepath.Join(plugin, "netcontiv"))
	cmd.Env = []string{"CNI_COMMAND=" + command, "CNI_CONTAINERID=" + id, "CNI_PATH=" + plugin, "CNI_IFNAME=eth0", "CNI_NETNS=" + i.file(id, "ns"),
		"PATH=" + os.Getenv("PATH")}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: stdout=%q, stderr=%q", err, out.String(), errs.String())
	}
	return out.Bytes(), nil
}

// cleanup detaches a container and, only if that succeeds, forgets it.
func (i *isolator) cleanup(id string) error {
	i.tb.Helper()
	if _, err := i.run("DEL", id); err != nil {
		return err
	}
	if err := unix.Unmount(i.file(id, "ns"), 0); err != nil && !errors.Is(err, unix.EINVAL) { // it may not be mounted any more
		return err
	}
	return os.RemoveAll(filepath.Join(i.root, id))
}

// containers returns the containers with a checkpoint, as a Mesos agent that starts finds them.
func (i *isolator) containers() []string {
	i.tb.Helper()
	entries, err := os.ReadDir(i.root)
	if err != nil {
		i.tb.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

const (
	onVLAN   = `{"key":"io.contiv.network","value":"vlan-net"},{"key":"app","value":"shop"}`
	nowhere  = `{"key":"io.contiv.tenant","value":"absent"}`
	noLabels = ``
)

func TestMesos(t *testing.T) {
	s := newSite(t)
	s.edit = func(c *config) { c.CNI.Mesos = s.mesosSocket() }
	s.start()
	mesos := s.isolator(t)
	a, b, v := linktest.New(t), linktest.New(t), linktest.New(t)
	infoA, err := mesos.isolate("7c3b9b8f-0001", a, noLabels)
	if err != nil {
		t.Fatalf("ADD: %v", err)
	}
	infoB, err := mesos.isolate("7c3b9b8f-0002", b, noLabels)
	if err != nil {
		t.Fatalf("ADD: %v", err)
	}
	// Mesos removes the prefix length only from IPv4 addresses, and needs the destination of each route.
	p, err := netip.ParsePrefix(infoB.IP4.IP)
	if err != nil || infoA.IP4.Gateway != "10.1.1.254" || len(infoA.IP4.Routes) != 1 || infoA.IP4.Routes[0].Dst != "0.0.0.0/0" || infoA.IP6 == nil {
		t.Errorf("result: want ip4 with gateway and route, and ip6, got %+v %v", infoA, err)
	}
	if out, err := a.Exec("ping", "-c1", "-W5", p.Addr().String()); err != nil {
		t.Errorf("ping between containers of Mesos: %v\n%s", err, out)
	}
	pod, _ := s.add("pod", "1.0.0", "")
	if out, err := a.Exec("ping", "-c1", "-W5", pod.ip4); err != nil {
		t.Errorf("ping to a container of another runtime: %v\n%s", err, out)
	}
	if info, err := mesos.isolate("7c3b9b8f-0003", v, onVLAN); err != nil || !strings.HasPrefix(info.IP4.IP, "10.2.2.") || info.IP6 != nil {
		t.Errorf("ADD with labels: want 10.2.2.x and no IPv6, got %+v %v", info.IP4, err)
	}
	// A failed attachment is reported, and cleaned up as by Mesos: a DEL of a container that was never attached succeeds.
	if _, err := mesos.isolate("7c3b9b8f-0004", linktest.New(t), nowhere); err == nil || !strings.Contains(err.Error(), "absent") || !strings.Contains(err.Error(), `\"code\": 7`) {
		t.Errorf("ADD for a tenant that there is not: want code 7 that names it, got %v", err)
	}
	if err := mesos.cleanup("7c3b9b8f-0004"); err != nil {
		t.Errorf("DEL after an ADD that failed: %v", err)
	}
	// A container ends while netplugin is stopped: Mesos keeps its checkpoint, and repeats the DEL after a restart.
	s.stop()
	if err := mesos.cleanup("7c3b9b8f-0001"); err == nil || !strings.Contains(err.Error(), `\"code\":11`) {
		t.Errorf("DEL while netplugin is away: want code 11, got %v", err)
	}
	a.Delete()
	if err := unix.Unmount(mesos.file("7c3b9b8f-0001", "ns"), 0); err != nil { // it was the last that held the namespace
		t.Fatal(err)
	}
	s.start()
	mesos = &isolator{tb: t, root: mesos.root, conf: mesos.conf}
	if got := mesos.containers(); len(got) != 3 {
		t.Errorf("checkpoints: want three, got %v", got)
	}
	if out, err := b.Exec("ping", "-c1", "-W5", pod.ip4); err != nil {
		t.Errorf("ping of a container that continues: %v\n%s", err, out)
	}
	for _, id := range mesos.containers() {
		for range 2 { // it may be killed before it has forgotten the container
			if _, err := mesos.run("DEL", id); err != nil {
				t.Errorf("DEL %s: %v", id, err)
			}
		}
		if err := mesos.cleanup(id); err != nil {
			t.Errorf("DEL %s: %v", id, err)
		}
	}
	if err := s.cni().DelNetworkList(s.ctx, s.conf("1.0.0", ""), runtimeConf(pod)); err != nil {
		t.Error(err)
	}
	s.nothingLeft()
}
