// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contiv/contiv/daemon/agent/cniconf"
)

// setting reads a kernel setting; "" if the kernel does not have it.
func setting(m Machine, path string) (string, error) {
	text, err := m.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

// bridgeFilter checks whether the kernel's bridges hand frames to the packet filter. Open vSwitch does not, so that this concerns the host
// only if a bridge of the kernel carries its tunnels.
func bridgeFilter(_ context.Context, m Machine, s *Subject) (string, []Result) {
	const path, name = "/proc/sys/net/bridge/bridge-nf-call-iptables", "net.bridge.bridge-nf-call-iptables"
	value, err := setting(m, path)
	switch {
	case err != nil:
		return "", unknown(err.Error(), "")
	case value == "":
		return "br_netfilter is not loaded", nil
	}
	_, carrier, err := m.MTU(s.VTEP)
	if err != nil {
		return name + " is " + value, nil // address reports the error
	}
	if _, err := m.Names("/sys/class/net/" + carrier + "/brif"); err == nil && value == "1" {
		return "", minor(fmt.Sprintf("%s is 1, and %s, which carries the tunnels, is a bridge: frames between its ports pass the packet filter too", name, carrier),
			"sysctl -w "+name+"=0, unless another program of this host needs it")
	}
	return name + " is " + value, nil
}

// reversePath checks for a filter that drops packets of other hosts: with value 1 the kernel accepts only packets whose senders it reaches
// through the interface at which they arrive (ip-sysctl, in the kernel's documentation).
func reversePath(ctx context.Context, m Machine, s *Subject) (string, []Result) {
	_, name, err := m.MTU(s.VTEP)
	if err != nil || !s.VTEP.Is4() || !s.VXLAN {
		return "", nil
	}
	strict := "0"
	for _, at := range []string{"all", name} { // the larger value counts
		value, err := setting(m, "/proc/sys/net/ipv4/conf/"+at+"/rp_filter")
		if err != nil {
			return "", unknown(err.Error(), "")
		}
		strict = max(strict, value)
	}
	what := fmt.Sprintf("rp_filter of %s is %s", name, strict)
	if strict != "1" {
		return what, nil
	}
	routes, err := readRoutes(ctx, m, "show", "default")
	if err != nil {
		return "", unknown("the default route was not read: "+err.Error(), "")
	}
	if i := slices.IndexFunc(routes, func(r route) bool { return r.Dev != name }); i >= 0 {
		key := "net.ipv4.conf." + strings.ReplaceAll(name, ".", "/") + ".rp_filter"
		return "", []Result{{State: Warning, Summary: fmt.Sprintf("%s, and the default route leads through %s: packets of hosts in other subnets are dropped", what, routes[i].Dev),
			Remedy: "sysctl -w " + key + "=2", Fix: &Fix{Setting: key, Value: "2"}}}
	}
	return what, nil
}

// route is a route as ip(8) prints it.
type route struct {
	Dst string `json:"dst"`
	Dev string `json:"dev"`
}

// readRoutes lists routes of the IPv4 tables.
func readRoutes(ctx context.Context, m Machine, args ...string) (out []route, err error) {
	text, err := m.Output(ctx, "ip", append([]string{"-json", "-4", "route"}, args...)...)
	if err != nil || len(strings.TrimSpace(string(text))) == 0 {
		return nil, err
	}
	return out, json.Unmarshal(text, &out)
}

// prefix returns the destination of a route.
func (r route) prefix() (netip.Prefix, bool) {
	if p, err := netip.ParsePrefix(r.Dst); err == nil {
		return p, p.Bits() > 0
	}
	a, err := netip.ParseAddr(r.Dst)
	return netip.PrefixFrom(a, a.BitLen()), err == nil
}

// hostInterface is the agent's interface in the private subnet.
const hostInterface = "contivh0"

// privateSubnet checks that no one else uses the subnet between hosts and their containers.
func privateSubnet(ctx context.Context, m Machine, s *Subject) (string, []Result) {
	if s.Switch == "" || !s.Private.IsValid() {
		return "", nil
	}
	const remedy = "use another one: netctl global set --private-subnet with one that is free, while there is no network"
	routes, err := readRoutes(ctx, m, "show", "table", "all")
	if err != nil {
		return "", unknown("the routes were not read: "+err.Error(), "")
	}
	for _, r := range routes {
		if p, ok := r.prefix(); ok && p.Overlaps(s.Private) && r.Dev != hostInterface && r.Dev != "lo" {
			return "", minor(fmt.Sprintf("the cluster's private subnet %s overlaps with the route to %s through %s", s.Private, p, r.Dev), remedy)
		}
	}
	pools, engine, err := dockerPools(m)
	if err != nil {
		return "", unknown("Docker's address pools were not read: "+err.Error(), "")
	}
	if i := slices.IndexFunc(pools, func(p netip.Prefix) bool { return p.Overlaps(s.Private) }); engine && i >= 0 {
		return "", minor(fmt.Sprintf("Docker may give a network the cluster's private subnet %s: its address pool %s overlaps", s.Private, pools[i]),
			`set "default-address-pools": [{"base": "10.200.0.0/16", "size": 24}] in /etc/docker/daemon.json, and restart Docker`)
	}
	return s.Private.String() + " is free", nil
}

// dockerPools returns the pools from which Docker takes subnets of networks, and whether the machine has Docker.
func dockerPools(m Machine) (pools []netip.Prefix, engine bool, err error) {
	if _, err := m.Names("/var/lib/docker"); err != nil {
		return nil, false, nil
	}
	var conf struct {
		Pools []struct {
			Base string `json:"base"`
		} `json:"default-address-pools"`
	}
	text, err := m.ReadFile("/etc/docker/daemon.json")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, true, err
	}
	if err == nil && len(strings.TrimSpace(string(text))) > 0 {
		if err := json.Unmarshal(text, &conf); err != nil {
			return nil, true, fmt.Errorf("/etc/docker/daemon.json: %w", err)
		}
	}
	for _, p := range conf.Pools {
		prefix, err := netip.ParsePrefix(p.Base)
		if err != nil {
			return nil, true, fmt.Errorf("/etc/docker/daemon.json: %w", err)
		}
		pools = append(pools, prefix)
	}
	if len(pools) == 0 {
		for _, own := range strings.Fields("172.17.0.0/16 172.18.0.0/16 172.19.0.0/16 172.20.0.0/14 172.24.0.0/14 172.28.0.0/14 192.168.0.0/16") { // of the engine itself
			pools = append(pools, netip.MustParsePrefix(own))
		}
	}
	return pools, true, nil
}

// confDir is where container runtimes look for network configurations.
const confDir = "/etc/cni/net.d"

// otherCNI looks for network configurations of other programs. A runtime uses the first by name.
func otherCNI(_ context.Context, m Machine, s *Subject) (fine string, out []Result) {
	if s.Switch == "" {
		return "", nil
	}
	names, err := m.Names(confDir)
	if errors.Is(err, fs.ErrNotExist) {
		return confDir + " does not exist", nil
	}
	if err != nil {
		return "", unknown(err.Error(), "")
	}
	var later []string
	for _, name := range names {
		switch filepath.Ext(name) {
		case ".conf", ".conflist", ".json":
		default:
			continue
		}
		path := filepath.Join(confDir, name)
		switch {
		case name == cniconf.File:
		case name < cniconf.File:
			out = append(out, minor(fmt.Sprintf("%s is before %s: container runtimes use it, and no network of this cluster", path, cniconf.File), fmt.Sprintf("mv %s %s.disabled", path, path))...)
		default:
			later = append(later, name)
		}
	}
	if len(later) > 0 {
		return fmt.Sprintf("%s is before %s", cniconf.File, strings.Join(later, ", ")), out
	}
	return "no other network configuration in " + confDir, out
}

// timeSynchronization checks that a program keeps the clock.
func timeSynchronization(ctx context.Context, m Machine, _ *Subject) (string, []Result) {
	const remedy = "timedatectl set-ntp true, or install chrony"
	if out, err := m.Output(ctx, "timedatectl", "show", "--property=NTPSynchronized", "--value"); err == nil {
		switch strings.TrimSpace(string(out)) {
		case "yes":
			return "the clock is synchronized", nil
		case "no":
			return "", minor("the clock is not synchronized", remedy)
		}
	}
	out, err := m.Output(ctx, "chronyc", "-n", "tracking")
	switch {
	case err != nil:
		return "", unknown("neither timedatectl nor chronyc reports whether the clock is synchronized", remedy)
	case strings.Contains(string(out), "Not synchronised"):
		return "", minor("the clock is not synchronized", remedy)
	}
	return "chronyd synchronizes the clock", nil
}
