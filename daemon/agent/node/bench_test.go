// SPDX-License-Identifier: Apache-2.0

package node_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/containernetworking/cni/libcni"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet/link/linktest"
)

// peers is where Debian's package containernetworking-plugins puts the plugins to compare with.
const peers = "/usr/lib/cni"

func p50(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// peerConf is a network of plugin bridge; the Linux bridge goes when the benchmark ends.
func peerConf(b *testing.B) *libcni.NetworkConfigList {
	b.Helper()
	conf, err := libcni.ConfListFromBytes(fmt.Appendf(nil, `{"cniVersion":"1.0.0","name":"peer","plugins":[{"type":"bridge",
		"bridge":"cnibench0","isDefaultGateway":true,"ipam":{"type":"host-local","subnet":"10.77.0.0/16","dataDir":%q}}]}`, b.TempDir()))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = exec.Command("ip", "link", "del", "cnibench0").Run() })
	return conf
}

// BenchmarkCNITogether adds sandboxes ten at once by this project's plugin and by bridge, one after the other, and
// reports the rates and their ratio.
func BenchmarkCNITogether(b *testing.B) {
	s := newSite(b)
	s.start()
	theirs := libcni.NewCNIConfigWithCacheDir([]string{peers}, filepath.Join(s.ovs.Dir, "cache"), nil)
	conf := peerConf(b)
	const workers, each = 10, 6
	rate := func(prefix string, add, del func(p *pod) error) float64 {
		pods := make(chan *pod, workers*each)
		for i := range workers * each {
			p := &pod{id: fmt.Sprintf("%s%d", prefix, i), ns: linktest.New(b)}
			defer func() { // what is left over slows the next round
				if err := del(p); err != nil {
					b.Error(err)
				}
				p.ns.Delete()
			}()
			pods <- p
		}
		close(pods)
		begin := time.Now()
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for p := range pods {
					if err := add(p); err != nil {
						b.Error(err)
					}
				}
			})
		}
		wg.Wait()
		return workers * each / time.Since(begin).Seconds()
	}
	for i := 0; b.Loop(); i++ {
		ours := rate(fmt.Sprintf("o%d-", i), func(p *pod) error {
			_, err := s.cni().AddNetworkList(s.ctx, s.conf("1.0.0", ""), runtimeConf(p))
			return err
		}, func(p *pod) error { return s.cni().DelNetworkList(s.ctx, s.conf("1.0.0", ""), runtimeConf(p)) })
		peer := rate(fmt.Sprintf("t%d-", i), func(p *pod) error {
			_, err := theirs.AddNetworkList(s.ctx, conf, runtimeConf(p))
			return err
		}, func(p *pod) error { return theirs.DelNetworkList(s.ctx, conf, runtimeConf(p)) })
		b.ReportMetric(ours, "add/s")
		b.ReportMetric(peer, "bridge-add/s")
		b.ReportMetric(ours/peer, "ratio")
	}
}

// BenchmarkCNI adds and deletes sandboxes by this project's plugin and by bridge with host-local, in turn, and reports
// the medians in milliseconds and their ratios.
func BenchmarkCNI(b *testing.B) {
	s := newSite(b)
	s.start()
	cache := filepath.Join(s.ovs.Dir, "cache")
	theirs := libcni.NewCNIConfigWithCacheDir([]string{peers}, cache, nil)
	conf := peerConf(b)
	var add, del, peerAdd, peerDel []time.Duration
	timed := func(to *[]time.Duration, do func() error) {
		begin := time.Now()
		if err := do(); err != nil {
			b.Fatal(err)
		}
		*to = append(*to, time.Since(begin))
	}
	type sandbox struct{ ours, theirs *pod }
	var all []sandbox
	for i := 0; b.Loop(); i++ {
		x := sandbox{&pod{id: fmt.Sprintf("o%d", i), ns: linktest.New(b)}, &pod{id: fmt.Sprintf("t%d", i), ns: linktest.New(b)}}
		all = append(all, x)
		timed(&add, func() error {
			_, err := s.cni().AddNetworkList(s.ctx, s.conf("1.0.0", ""), runtimeConf(x.ours))
			return err
		})
		timed(&peerAdd, func() error {
			_, err := theirs.AddNetworkList(s.ctx, conf, runtimeConf(x.theirs))
			return err
		})
	}
	for _, x := range all {
		timed(&del, func() error { return s.cni().DelNetworkList(s.ctx, s.conf("1.0.0", ""), runtimeConf(x.ours)) })
		timed(&peerDel, func() error { return theirs.DelNetworkList(s.ctx, conf, runtimeConf(x.theirs)) })
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(p50(add)), "add-ms")
	b.ReportMetric(ms(p50(peerAdd)), "bridge-add-ms")
	b.ReportMetric(ms(p50(add))/ms(p50(peerAdd)), "add-ratio")
	b.ReportMetric(ms(p50(del)), "del-ms")
	b.ReportMetric(ms(p50(peerDel)), "bridge-del-ms")
	b.ReportMetric(ms(p50(del))/ms(p50(peerDel)), "del-ratio")
}

// switchCPU is the processor time that ovs-vswitchd has used.
func (s *site) switchCPU() time.Duration {
	// The process is a child of `ip netns exec`, which becomes it.
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.ovs.SwitchPID()))
	if err != nil {
		s.tb.Fatal(err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+2:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond // USER_HZ is 100
}

// BenchmarkBurst attaches 50 sandboxes at once to a switch that has a thousand ports, and reports what each costs
// ovs-vswitchd.
func BenchmarkBurst(b *testing.B) {
	s := newSite(b)
	s.fill(b, 1000)
	s.start()
	const together = 50
	round := 0
	for range b.N {
		b.StopTimer()
		pods := make([]*pod, together)
		for i := range pods {
			pods[i] = &pod{id: fmt.Sprintf("r%dp%d", round, i), ns: linktest.New(b)}
		}
		round++
		s.idle()
		cpu := s.switchCPU()
		b.StartTimer()
		begin := time.Now()
		var wg sync.WaitGroup
		for _, p := range pods {
			wg.Go(func() {
				if _, err := s.cni().AddNetworkList(s.ctx, s.conf("1.0.0", `,"network":"wide"`), runtimeConf(p)); err != nil {
					b.Error(err)
				}
			})
		}
		wg.Wait()
		b.StopTimer()
		b.ReportMetric(float64((s.switchCPU()-cpu).Milliseconds())/together, "vswitchd-ms/ADD")
		b.ReportMetric(float64(time.Since(begin).Milliseconds())/together, "ms/ADD")
		for _, p := range pods {
			if err := s.cni().DelNetworkList(s.ctx, s.conf("1.0.0", ""), runtimeConf(p)); err != nil {
				b.Fatal(err)
			}
			p.ns.Delete()
		}
		b.StartTimer()
	}
}

// idle waits until ovs-vswitchd has done what it had to do.
func (s *site) idle() {
	s.tb.Helper()
	last, quiet := s.switchCPU(), 0
	s.eventually("ovs-vswitchd is idle", func() string {
		now := s.switchCPU()
		if now == last {
			quiet++
		} else {
			last, quiet = now, 0
		}
		if quiet < 15 { // of 20 ms
			return "it works still"
		}
		return ""
	})
}

// fill gives the switch n further ports in one go, and a wide network.
func (s *site) fill(b *testing.B, n int) {
	b.Helper()
	wide := model.Network{TenantName: "default", NetworkName: "wide", Encap: "vxlan", Subnet: "10.9.0.0/16"}
	if _, err := s.master.Networks().Put(s.ctx, &wide); err != nil {
		b.Fatal(err)
	}
	batch := make([]string, 0, n)
	args := []string{"--may-exist", "add-br", "contiv0", "--", "set", "bridge", "contiv0", "datapath_type=netdev"}
	for i := range n {
		batch = append(batch, fmt.Sprintf("link add q%d up type veth peer name z%d", i, i))
		args = append(args, "--", "add-port", "contiv0", fmt.Sprintf("q%d", i), "--", "set", "interface", fmt.Sprintf("q%d", i), fmt.Sprintf("ofport_request=%d", 2000+i))
	}
	file := filepath.Join(b.TempDir(), "batch")
	if err := os.WriteFile(file, []byte(strings.Join(batch, "\n")+"\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	s.ovs.IP("-batch", file)
	s.ovs.Vsctl(append([]string{"--timeout=60"}, args...)...)
}
