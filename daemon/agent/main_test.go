// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/flags"
)

func TestWrongConfigurationEndsWith22(t *testing.T) {
	good := []string{"--mode=kubernetes", "--netmode=vxlan", "--fwdmode=routing", "--ctrl-ip=192.0.2.1"}
	rows := []struct {
		name string
		args []string
		env  map[string]string
		want string // in the message
	}{
		{"nothing", nil, nil, "--netmode is required"},
		{"bad mode", []string{"--mode=x"}, nil, "--mode x"},
		{"no uplink", []string{"--mode=docker", "--netmode=vlan", "--fwdmode=bridge"}, nil, "--vlan-uplinks is required"},
		{"uplink twice", append(good, "--vlan-if=lo,lo"), nil, "twice"},
		{"bad port", append(good, "--vxlan-port=70000"), nil, "--vxlan-port 70000"},
		{"port of the environment", good, map[string]string{"CONTIV_NETPLUGIN_VXLAN_PORT": "x"}, "--vxlan-port x"},
		{"bad datapath", append(good, "--datapath=dpdk"), nil, "--datapath dpdk"},
		{"bad bond", append(good, "--uplink-bond=slb"), nil, "--uplink-bond slb"},
		{"bond of one", append(good, "--uplink-bond=lacp", "--vlan-uplinks=lo"), nil, "--uplink-bond lacp is for several NICs"},
		{"bad address", append(good, "--vtep-ip=1.2.3"), nil, "--vtep-ip 1.2.3"},
		{"two stores", append(good, "--etcd=http://a:1", "--consul=http://b:1"), nil, "exclude"},
		{"bad netmaster", append(good, "--netmasters=192.0.2.1:9999,192.0.2.2"), nil, `--netmasters: got "https://192.0.2.2", want an address like 192.0.2.1:9999`},
		{"bad port of hosts", append(good, "--host-ports=tcp/22,80"), nil, `--host-ports: "80" is not like tcp/80`},
		{"bad prefix", append(good, "--protected-prefixes=10.0.0.0/24,10.0.0.256"), nil, `--protected-prefixes: "10.0.0.256"`},
		{"plugins without a configuration", append(good, "--cni-bin-dir=/opt/cni/bin"), nil, "requires --cni-conf-dir"},
		{"relative directory", append(good, "--cni-conf-dir=net.d"), nil, "--cni-conf-dir: got net.d, want an absolute path"},
		{"configuration of none stays", append(good, "--cni-conf-stays"), nil, "--cni-conf-stays requires --cni-conf-dir"},
		{"prefix of everything", append(good, "--vtep-ip=10.0.0.0/33"), nil, "--vtep-ip 10.0.0.0/33: it is an IP address"},
		{"bad way to uninstall", []string{"--uninstall=always"}, nil, "--uninstall always: it is one of once, stay"},
		{"too much to uninstall", []string{"--uninstall=once", "--uninstall-further=/var/lib/"}, nil, "--uninstall-further: got /var/lib/"},
		{"one socket for two", append(good, "--cni-socket=/run/x.sock", "--mesos-socket=/run/x.sock"), nil, "--mesos-socket: got /run/x.sock"},
		{"bad name of the driver", append(good, "--plugin-name=../x"), nil, `--plugin-name "../x"`},
		{"bad directory of drivers", append(good, "--docker-plugins=x"), nil, `--docker-plugins "x"`},
		{"bad file of Docker networks", append(good, "--docker-networks-file=x"), nil, `--docker-networks-file "x"`},
		{"bad scope", append(good, "--docker-scope=swarm"), nil, "--docker-scope swarm: it is one of local, global"},
		{"bad socket behind a door", append(good, "--docker-agent-socket=x"), nil, `--docker-agent-socket "x"`},
		{"door to nowhere", []string{"--docker-door", "--mode=docker"}, nil, "--docker-door needs --docker-agent-socket"},
		{"door without engines", []string{"--docker-door", "--mode=kubernetes", "--docker-agent-socket=/x"}, nil, "--mode kubernetes: it is one of docker, swarm-mode"},
		{"unknown flag", append(good, "--nonsense"), nil, "--nonsense"},
		{"argument", append(good, "extra"), nil, "extra"},
	}
	for _, r := range rows {
		var out, errs bytes.Buffer
		code := run(context.Background(), r.args, environ(r.env), &out, &errs)
		if code != flags.ExitConfig || !strings.Contains(errs.String(), r.want) {
			t.Errorf("%s: want exit code 22 and %q, got %d %q", r.name, r.want, code, errs.String())
		}
	}
}

// A missing interface or address is not a wrong configuration: it may appear soon, so a service manager restarts the agent.
func TestAbsentEndsWith1(t *testing.T) {
	for _, arg := range []string{"--vlan-uplinks=nonesuch0", "--vtep-ip=203.0.113.0/24"} {
		var out, errs bytes.Buffer
		args := []string{"--mode=docker", "--netmode=vxlan", "--fwdmode=routing", "--insecure", arg}
		code := run(context.Background(), args, nil, &out, &errs)
		if _, value, _ := strings.Cut(arg, "="); code != 1 || !strings.Contains(errs.String(), value) {
			t.Errorf("%s: want exit code 1 and the name, got %d %q", arg, code, errs.String())
		}
	}
}

func TestOptions(t *testing.T) {
	env := map[string]string{"CONTIV_NETPLUGIN_HOST": "h9", "CONTIV_NETPLUGIN_NET_MODE": "vxlan", "CONTIV_NETPLUGIN_VLAN_UPLINKS": "lo",
		"CONTIV_NETPLUGIN_ETCD_ENDPOINTS": "http://a:1,http://b:2"}
	o, err := parse([]string{"-plugin-mode", "kubernetes", "--forward-mode", "routing", "--ctrl-ip", "192.0.2.1", "--host-label", "h1"},
		environ(env), &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	if o.Host != "h1" || o.Addresses.VTEP.String() != "192.0.2.1" || o.Switch.VXLANPort != 4789 || len(o.Store.Etcd) != 2 || o.Uplinks.NICs[0] != "lo" {
		t.Errorf("options: want the flag before the environment before the default, got %+v", o)
	}
	o, err = parse([]string{"--mode=kubernetes", "--netmode=vxlan", "--fwdmode=routing", "--ctrl-ip=192.0.2.1", "--host-ports", "tcp/22,udp/53-54", "--protected-prefixes=10.1.2.3/8,fd00::1"},
		nil, &bytes.Buffer{})
	if err != nil || fmt.Sprint(o.Access.Open) != "[{6 22 22} {17 53 54}]" || fmt.Sprint(o.Access.Prefixes) != "[10.0.0.0/8 fd00::1/128]" {
		t.Errorf("what is closed: got %v, %v, %v", o.Access.Open, o.Access.Prefixes, err)
	}
	o, err = parse([]string{"--mode=kubernetes", "--netmode=vxlan", "--fwdmode=routing", "--ctrl-ip=192.0.2.1", "--vtep-ip=127.0.0.0/8"}, nil, &bytes.Buffer{})
	if err != nil || !o.Addresses.VTEP.IsLoopback() {
		t.Errorf("the address in a prefix: got %v, %v", o.Addresses.VTEP, err)
	}
	var out bytes.Buffer
	if code := run(context.Background(), []string{"--version"}, nil, &out, &out); code != 0 || !strings.Contains(out.String(), "Version: ") {
		t.Errorf("--version: want 0 and the version, got %d %s", code, out.String())
	}
}

func TestMesosSocket(t *testing.T) {
	for _, r := range []struct{ cni, mesos, want string }{
		{"/run/contiv/contiv-cni.sock", "", "/run/contiv/contiv-mesos.sock"},
		{"/tmp/own/cni.sock", "", "/tmp/own/contiv-mesos.sock"},
		{"/tmp/own/cni.sock", "/run/m.sock", "/run/m.sock"},
		{"/tmp/own/cni.sock", "off", ""},
	} {
		o, err := parse([]string{"--netmode=vxlan", "--fwdmode=routing", "--ctrl-ip=192.0.2.1", "--cni-socket", r.cni, "--mesos-socket", r.mesos}, nil, &bytes.Buffer{})
		if err != nil || o.CNI.Mesos != r.want {
			t.Errorf("--cni-socket %s --mesos-socket %q: want %q, got %q, %v", r.cni, r.mesos, r.want, o.CNI.Mesos, err)
		}
	}
}

// environ returns variables as os.Environ does.
func environ(variables map[string]string) (out flags.Env) {
	for name, value := range variables {
		out = append(out, name+"="+value)
	}
	return out
}
