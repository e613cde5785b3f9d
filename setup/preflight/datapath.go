// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
)

// The agent's bridge, and those of a trial.
const (
	agentBridge = "contiv0"
	trialBridge = "contivtry0"
	trialTunnel = "contivtry1"
)

// Types of datapaths.
const (
	kernelDatapath = "system"
	userDatapath   = "netdev"
)

// cleanUpTimeout limits the removal of the trial's bridge.
const cleanUpTimeout = 15 * time.Second

// datapath tries the datapath that the agent will use: Open vSwitch lists types that do not work, and ovs-vswitchd reports the features
// of a datapath after it has tried them. The bridge of an agent that runs is examined instead.
func datapath(ctx context.Context, m Machine, s *Subject) (fine string, out []Result) {
	if s.Switch == "" || !m.Root() {
		return "", nil
	}
	if _, err := m.Switch(ctx, s.Switch); err != nil {
		return "", nil // openvswitch reports this
	}
	t := trial{m, s}
	if _, err := t.vsctl(ctx, "br-exists", agentBridge); err == nil {
		kind, err := t.vsctl(ctx, "get", "bridge", agentBridge, "datapath_type")
		if err != nil {
			return "", unknown(err.Error(), "")
		}
		return "in use by the agent: " + strings.Trim(kind, `"`), t.features(ctx, agentBridge, strings.Trim(kind, `"`))
	}
	kind := kernelDatapath
	switch err := m.Datapath(); {
	case errors.Is(err, link.ErrNoKernelDatapath):
		kind = userDatapath
		r := Result{State: Warning, Summary: "the kernel has no module openvswitch: the switch forwards in user space, which uses more CPU", Remedy: "install the kernel's modules, and run modprobe openvswitch"}
		if m.Module(ctx, "openvswitch") {
			r.Summary, r.Remedy = "the kernel's module openvswitch is installed but not loaded: the switch forwards in user space, which uses more CPU", "modprobe openvswitch"
			r.Fix = &Fix{Module: "openvswitch"}
		}
		out = append(out, r)
	case err != nil:
		return "", unknown(err.Error(), "")
	}
	wrong := t.try(ctx, kind)
	if len(wrong) > 0 && kind == kernelDatapath {
		if again := t.try(ctx, userDatapath); len(again) == 0 {
			out = append(out, minor("the kernel's datapath does not work: "+wrong[0].Summary, "start the agent with CONTIV_NETPLUGIN_DATAPATH=netdev in /etc/contiv/netplugin.env, or "+wrong[0].Remedy)...)
			return "", out
		}
	}
	return kind + ", tried with a bridge and a tunnel", append(out, wrong...)
}

// trial uses Open vSwitch.
type trial struct {
	m Machine
	s *Subject
}

// vsctl runs ovs-vsctl, which waits until ovs-vswitchd has carried the change out.
func (t trial) vsctl(ctx context.Context, args ...string) (string, error) {
	out, err := t.m.Output(ctx, "ovs-vsctl", append([]string{"--timeout=10", "--db=unix:" + t.s.Switch}, args...)...)
	return strings.TrimSpace(string(out)), err
}

// try makes a bridge with a tunnel, and removes it again.
func (t trial) try(ctx context.Context, kind string) (out []Result) {
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUpTimeout)
		defer cancel()
		if _, err := t.vsctl(end, "--if-exists", "del-br", trialBridge); err != nil {
			out = append(out, minor("the bridge of the trial remains: "+err.Error(), "ovs-vsctl del-br "+trialBridge)...)
		}
	}()
	args := []string{"--may-exist", "add-br", trialBridge, "--", "set", "bridge", trialBridge, "datapath_type=" + kind}
	interfaces := []string{trialBridge}
	if t.s.VXLAN {
		args = append(args, "--", "--may-exist", "add-port", trialBridge, trialTunnel, "--", "set", "interface", trialTunnel, "type=vxlan",
			"options:remote_ip=flow", "options:key=flow", "options:dst_port="+tunnelPort)
		interfaces = append(interfaces, trialTunnel)
	}
	if _, err := t.vsctl(ctx, args...); err != nil {
		return one("Open vSwitch made no bridge with datapath "+kind+": "+err.Error(), "read the log of ovs-vswitchd")
	}
	for _, name := range interfaces {
		reason, err := t.vsctl(ctx, "get", "interface", name, "error")
		number, bad := t.vsctl(ctx, "get", "interface", name, "ofport")
		switch {
		case errors.Join(err, bad) != nil:
			return unknown(errors.Join(err, bad).Error(), "")
		case reason != "[]" || number == "-1" || number == "[]":
			what := map[string]string{trialBridge: "a bridge", trialTunnel: "a VXLAN tunnel"}[name]
			return one(fmt.Sprintf("Open vSwitch made no port for %s with datapath %s: %s", what, kind, strings.Trim(reason, `"`)), "read the log of ovs-vswitchd; ip -details link show type vxlan shows other tunnels")
		}
	}
	return t.features(ctx, trialBridge, kind)
}

// features checks what the datapath of a bridge can do.
func (t trial) features(ctx context.Context, bridge, kind string) []Result {
	text, err := t.m.Output(ctx, "env", "OVS_RUNDIR="+filepath.Dir(t.s.Switch), "ovs-appctl", "--timeout=10", "dpif/show-dp-features", bridge)
	if err != nil {
		return unknown("the features of datapath "+kind+" were not read: "+err.Error(), "")
	}
	lacks := ofnet.LackedBy(capabilities(text)).Needed()
	if lacks == 0 {
		return nil
	}
	return one(fmt.Sprintf("datapath %s of Open vSwitch cannot do %s: %s do not work", kind, lacks, lacks.Means()),
		"boot a kernel that is built with it (NF_CONNTRACK_ZONES, NF_CONNTRACK_MARK, NF_CONNTRACK_LABELS, NF_NAT), or set CONTIV_NETPLUGIN_DATAPATH=netdev in /etc/contiv/netplugin.env")
}

// capabilities translates the output of dpif/show-dp-features to the names of OVSDB.
func capabilities(text []byte) map[string]string {
	names := map[string]string{"Recirc": "recirc", "CT state": "ct_state", "CT zone": "ct_zone", "CT mark": "ct_mark", "CT label": "ct_label", "CT state NAT": "ct_state_nat", "Clone action": "clone"}
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if key := names[name]; key != "" && value == "No" {
			out[key] = "false"
		}
	}
	return out
}
