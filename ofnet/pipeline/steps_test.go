// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

// Every flow that ofproto/trace names on the way of a packet is found again among those that the switch was given, by place, cookie and
// actions: so a flow that others have added or changed is distinguishable.
func TestTraceNamesOurFlows(t *testing.T) {
	l := newLab(t, redState(t))
	p := pipeline.Default()
	ours := map[flow.Key]flow.Flow{}
	for _, f := range p.CompileAll(l.state).Flows {
		ours[f.Key] = f
	}
	l.control = l.ovs.Control()
	const s1 = "in_port=51,dl_src=02:02:6d:01:00:01,"
	for _, packet := range []string{
		"in_port=77,tcp,dl_src=02:02:65:01:00:01,nw_src=10.1.0.1,nw_dst=10.1.0.2,dl_dst=02:02:65:01:00:02",
		a1 + "ipv6,dl_dst=02:02:65:01:00:02,ipv6_src=fd01::9,ipv6_dst=fd01::2",
		a1 + "tcp,dl_dst=02:02:65:01:00:02,nw_src=10.1.0.1,nw_dst=10.1.0.2",
		a1 + "tcp,dl_dst=02:02:65:02:00:03,nw_src=10.1.0.1,nw_dst=10.1.0.3",
		a1 + "icmp,icmp_type=8,dl_dst=" + router + ",nw_src=10.1.0.1,nw_dst=10.1.0.254,nw_ttl=64",
		a1 + "udp,udp_dst=53,dl_dst=" + router + ",nw_src=10.1.0.1,nw_dst=8.8.8.8,nw_ttl=64",
		a1 + "tcp,dl_dst=" + router + ",nw_src=10.1.0.1,nw_dst=172.19.255.254,nw_ttl=64,tcp_flags=0x002",
		a1 + "icmp6,icmpv6_type=128,dl_dst=" + router + ",ipv6_src=fd01::1,ipv6_dst=fe80::1,nw_ttl=64",
		fromH2 + "tun_id=5001,tcp,dl_src=02:02:65:02:00:03,dl_dst=02:02:65:01:00:01,nw_src=10.1.0.3,nw_dst=10.1.0.1",
		"in_port=4,dl_src=02:02:67:01:00:01,tcp,dl_dst=02:02:67:02:00:02,nw_src=10.2.0.1,nw_dst=10.2.0.2",
		"in_port=1001,dl_vlan=11,tcp,dl_src=02:02:67:02:00:02,dl_dst=02:02:67:01:00:01,nw_src=10.2.0.2,nw_dst=10.2.0.1",
		"in_port=9,dl_src=02:02:6b:01:00:01,tcp,dl_dst=02:02:6b:02:00:02,nw_src=10.1.0.1,nw_dst=10.1.0.2",
		"in_port=9,dl_src=02:02:6b:01:00:01,tcp,dl_dst=" + router + ",nw_src=10.1.0.1,nw_dst=10.3.0.1,nw_ttl=64",
		"in_port=1000,tun_src=192.168.251.2,tun_dst=192.168.251.1,tun_id=5013,tcp,tcp_flags=0x002,tcp_dst=1500," +
			"dl_src=02:02:6b:02:00:02,dl_dst=02:02:6b:01:00:01,nw_src=10.1.0.2,nw_dst=10.1.0.1",
		"in_port=1000,tun_src=192.168.251.2,tun_dst=192.168.251.1,tun_id=5013,udp,udp_dst=1500," +
			"dl_src=02:02:6b:02:00:02,dl_dst=02:02:6b:01:00:01,nw_src=10.1.0.2,nw_dst=10.1.0.1",
		"in_port=8,dl_src=02:02:6a:01:00:01,tcp,dl_dst=" + router + ",nw_src=10.5.0.1,nw_dst=10.5.0.2,nw_ttl=64",
		s1 + "tcp,tcp_dst=80,dl_dst=" + router + ",nw_src=10.40.0.1,nw_dst=10.40.0.100,nw_ttl=64,dp_hash=1",
		s1 + "tcp,tcp_dst=80,dl_dst=" + router + ",nw_src=10.40.0.1,nw_dst=10.41.0.100,nw_ttl=64,dp_hash=1",
		s1 + "tcp,tcp_dst=80,dl_dst=" + router + ",nw_src=10.40.0.1,nw_dst=10.40.0.101,nw_ttl=64,dp_hash=1",
		s1 + "tcp6,tcp_dst=80,dl_dst=" + router + ",ipv6_src=fd40::1,ipv6_dst=fd40::100,nw_ttl=64,dp_hash=1",
	} {
		for _, next := range []string{"trk,new", "trk,est,rpl"} {
			way, err := vswitchd.ParseTrace(l.control.Do("ofproto/trace", "br0", packet, "--ct-next", next, "--ct-next", next), "br0")
			if err != nil {
				t.Fatalf("%s: %v", packet, err)
			}
			for i := range way.Steps {
				step := &way.Steps[i]
				if step.Missing {
					continue
				}
				f, err := step.Flow(p.Tables())
				if err != nil {
					t.Errorf("%s: %v", packet, err)
				} else if want := ours[f.Key]; f != want {
					t.Errorf("%s: want a flow of ours, %s, got %s (%s)", packet, want.Text(p.Tables()), f.Text(p.Tables()), strings.Join(step.Actions, ","))
				}
			}
		}
	}
}
