// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"strings"
	"testing"
)

func TestArgs(t *testing.T) {
	three := Plan{Name: "x", Hosts: 3, Masters: 3, Store: StoreEmbedded, Bin: "/bin", Number: 7}
	one, etcd, consul, bare := three, three, three, three
	one.Masters, etcd.Store, consul.Store, bare.Bare = 1, StoreEtcd, StoreConsul, true
	engine := bare
	engine.Docker = true
	behind := three
	behind.Docker = true
	newer := engine
	newer.DockerBin = "/engines"
	pods := bare
	pods.Kubernetes = &Kubernetes{Bin: "/k8s"}
	proxied := pods
	proxied.Kubernetes = &Kubernetes{Bin: "/k8s", Proxy: true}
	extra := three
	extra.Debug, extra.Agent = true, []string{"--vxlan-port", "4790"}
	kernel := three
	kernel.Datapath = DatapathSystem
	tests := []struct {
		name string
		plan Plan
		host int
		part string
		want []string // all of these; none: no such part
		not  string
	}{
		{"member of three", three, 2, PartMaster, []string{"/bin/netmaster ", "--cluster-file /run/lab/cluster", "--external-address 10.254.7.2:9999", "--embedded-name h2",
			"--embedded-client-url https://10.254.7.2:2379", "--embedded-cluster h1=https://10.254.7.1:2380,h2=https://10.254.7.2:2380,h3=https://10.254.7.3:2380"}, "--etcd-endpoints"},
		{"single member", one, 1, PartMaster, []string{"--embedded-store /run/lab/etcd"}, "--embedded-cluster"},
		{"no master", one, 2, PartMaster, nil, ""},
		{"agent of three", three, 1, PartAgent, []string{"/bin/netplugin ", "--cluster-file /run/lab/cluster", "--host h1", "--ctrl-ip 10.254.7.1", "--vtep-ip 192.168.251.1",
			"--vlan-uplinks eth1", "--netmasters https://10.254.7.1:9999,https://10.254.7.2:9999,https://10.254.7.3:9999"}, "--log-level"},
		{"agent of one", one, 3, PartAgent, []string{"--netmasters https://10.254.7.1:9999 "}, "10.254.7.2"},
		{"more flags", extra, 1, PartAgent, []string{"--log-level DEBUG --vxlan-port 4790"}, ""},
		{"etcd", etcd, 1, PartStore, []string{"etcd ", "--listen-client-urls http://10.254.7.1:2379"}, ""},
		{"etcd elsewhere", etcd, 2, PartStore, nil, ""},
		{"master on etcd", etcd, 2, PartMaster, []string{"--etcd-endpoints http://10.254.7.1:2379"}, "embedded"},
		{"agent on consul", consul, 2, PartAgent, []string{"--consul-endpoints http://10.254.7.1:8500"}, "etcd"},
		{"consul", consul, 1, PartStore, []string{"consul ", "-client 10.254.7.1"}, ""},
		{"embedded store is no part", three, 1, PartStore, nil, ""},
		{"bare", bare, 1, PartAgent, nil, ""},
		{"its agent's door", behind, 2, PartPluginProxy, []string{"/netplugin --docker-door --mode docker --docker-agent-socket /run/contiv/contiv-docker.sock"}, ""},
		{"the agent behind it", behind, 2, PartAgent, []string{"--docker-agent-socket /run/contiv/contiv-docker.sock"}, "--docker-door"},
		{"no door without an engine", three, 1, PartPluginProxy, nil, ""},
		{"engine of the machine", engine, 2, PartDocker, []string{"dockerd ", "--cgroup-parent /contiv-lab-x-7/h2", "--storage-driver=overlay2"}, "--containerd"},
		{"which starts its containerd", engine, 2, PartContainerd, nil, ""},
		{"another engine", newer, 2, PartDocker, []string{"dockerd ", "--containerd /run/containerd/containerd.sock"}, "overlay2"},
		{"its containerd", newer, 2, PartContainerd, []string{"containerd --config /run/lab/containerd.toml"}, ""},
		{"control plane", pods, 1, "kube-apiserver", []string{"/k8s/kube kube-apiserver ", "--bind-address 10.254.7.1 "}, ""},
		{"only one of it", pods, 2, "kube-apiserver", nil, ""},
		{"its store", pods, 1, "kube-etcd", []string{"/k8s/etcd "}, "2379"},
		{"node", pods, 2, "kubelet", []string{"/k8s/kube kubelet ", "--node-ip 10.254.7.2,fd00:254:0:7::2 "}, ""},
		{"its containerd", pods, 2, PartContainerd, []string{"containerd --config /run/lab/containerd.toml"}, ""},
		{"no proxy", pods, 2, "kube-proxy", nil, ""},
		{"proxy", proxied, 2, "kube-proxy", []string{"/k8s/kube kube-proxy "}, ""},
		{"no Kubernetes", three, 1, "kubelet", nil, ""},
		{"bare switch", bare, 1, PartOVS, []string{"nice -n -10 ovs-vswitchd unix:/run/openvswitch/db.sock ", "--disable-system "}, ""},
		{"switch on the kernel's datapath", kernel, 1, PartOVS, []string{"ovs-vswitchd unix:/run/openvswitch/db.sock "}, "--disable-system"},
		{"agent on the kernel's datapath", kernel, 2, PartAgent, []string{"--datapath system "}, "netdev"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(tt.plan.args(tt.host, tt.part), " ")
			if tt.want == nil && got != "" {
				t.Errorf("want no such part, got %s", got)
			}
			for _, want := range tt.want {
				if !strings.Contains(got+" ", want) {
					t.Errorf("want %q in\n%s", want, got)
				}
			}
			if tt.not != "" && strings.Contains(got, tt.not) {
				t.Errorf("want no %q in\n%s", tt.not, got)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	good := Plan{Name: "lab", Dir: "/run/contiv-lab/lab", Hosts: 3, Masters: 3, Store: StoreEmbedded}
	tests := []struct {
		name   string
		change func(p *Plan)
		want   string
	}{
		{"good", func(*Plan) {}, ""},
		{"name", func(p *Plan) { p.Name = "../x" }, `lab name: got "../x"`},
		{"no name", func(p *Plan) { p.Name = "" }, `lab name: got ""`},
		{"no hosts", func(p *Plan) { p.Hosts = 0 }, "hosts: got 0"},
		{"many hosts", func(p *Plan) { p.Hosts = 201 }, "hosts: got 201"},
		{"no masters", func(p *Plan) { p.Masters = 0 }, "masters: got 0"},
		{"many masters", func(p *Plan) { p.Masters = 4 }, "masters: got 4"},
		{"store", func(p *Plan) { p.Store = "paper" }, `store: got "paper"`},
		{"directory", func(p *Plan) { p.Dir = "/" + strings.Repeat("x", 100) }, "too long"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := good
			tt.change(&p)
			err := p.check()
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("want %q, got %v", tt.want, err)
			}
		})
	}
}
