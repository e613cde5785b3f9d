// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// oldestKernel is the oldest kernel with the netlink, nftables and conntrack features that the agent uses.
var oldestKernel = [2]int{5, 10}

// kernel checks the kernel's release and modules. Without Open vSwitch's module, its userspace datapath is used.
func kernel(ctx context.Context, m Machine, s *Subject) (fine string, out []Result) {
	if s.Switch == "" {
		return "", nil
	}
	release, err := m.Kernel()
	switch has, ok := numbers(release); {
	case err != nil || !ok:
		out = append(out, minor(fmt.Sprintf("the release of the kernel: got %q, want a version", release), fmt.Sprintf("check that it is %d.%d or later", oldestKernel[0], oldestKernel[1]))...)
	case less(has, oldestKernel):
		out = append(out, one("the kernel "+release+" is too old", fmt.Sprintf("boot %d.%d or later, which Debian 11 and Ubuntu 22.04 have", oldestKernel[0], oldestKernel[1]))...)
	}
	for _, module := range []struct{ name, use string }{{"veth", "containers' interfaces"}, {"nf_tables", "host access"}} {
		if !m.Module(ctx, module.name) {
			out = append(out, Result{State: Error, Summary: fmt.Sprintf("the kernel has no module %s, which %s need", module.name, module.use),
				Remedy: "install the kernel's modules, and run modprobe " + module.name})
		}
	}
	return release, out
}

// The oldest supported version of Open vSwitch, and the one that the flows are tested with.
var (
	oldestSwitch = [2]int{2, 15} // lists the capabilities of datapaths
	testedSwitch = [2]int{3, 1}
)

// openvswitch checks that Open vSwitch runs, and its version.
func openvswitch(ctx context.Context, m Machine, s *Subject) (string, []Result) {
	if s.Switch == "" {
		return "", nil
	}
	version, err := m.Switch(ctx, s.Switch)
	if err != nil {
		return "", one(fmt.Sprintf("Open vSwitch does not answer at %s: %v", s.Switch, err),
			"install and start it: apt-get install openvswitch-switch, dnf install openvswitch; systemctl enable --now openvswitch-switch")
	}
	has, ok := numbers(version)
	switch {
	case !ok:
		return "", minor(fmt.Sprintf("Open vSwitch reports version %q", version), fmt.Sprintf("it should be %d.%d or later", testedSwitch[0], testedSwitch[1]))
	case less(has, oldestSwitch):
		return "", one("Open vSwitch "+version+" is too old", fmt.Sprintf("upgrade it to %d.%d or later", testedSwitch[0], testedSwitch[1]))
	case less(has, testedSwitch):
		return "", minor("Open vSwitch "+version+" is older than the version that the flows are tested with", fmt.Sprintf("upgrade it to %d.%d or later", testedSwitch[0], testedSwitch[1]))
	}
	return version, nil
}

// numbers returns the first two numbers of a version, such as 3.1.0 or 6.18-rc1.
func numbers(version string) (out [2]int, ok bool) {
	parts := strings.SplitN(strings.Trim(version, "\" \n"), ".", 3)
	if len(parts) < 2 {
		return out, false
	}
	parts[1], _, _ = strings.Cut(parts[1], "-")
	for i := range out {
		n, err := strconv.Atoi(parts[i])
		if err != nil {
			return out, false
		}
		out[i] = n
	}
	return out, true
}

func less(a, b [2]int) bool { return a[0] < b[0] || a[0] == b[0] && a[1] < b[1] }

// maxSkew is the maximum difference between clocks.
const maxSkew = 2 * time.Minute

// clock checks the machine's clock: certificates have a limited validity.
func clock(ctx context.Context, m Machine, s *Subject) (string, []Result) {
	if s.Clock == nil {
		return "", nil
	}
	theirs, err := s.Clock(ctx)
	if err != nil {
		return "", one(fmt.Sprintf("the netmaster does not answer: %v", err), "check its address, and that it runs; contiv token create prints the address at which hosts join")
	}
	if apart := m.Now().Sub(theirs); apart.Abs() > maxSkew {
		return "", one(fmt.Sprintf("this machine's clock differs by %s from the netmaster's, which shows %s", apart.Round(time.Second), theirs.UTC().Format(time.RFC3339)),
			"set the clock: timedatectl set-ntp true, or chronyc makestep")
	}
	return fmt.Sprintf("within %s of the netmaster's", maxSkew), nil
}

// Space for the embedded store, in bytes.
const (
	minSpace   = 1 << 30
	quotaSpace = 8 << 30 // the quota, beyond which the store refuses writes
)

// disk checks the space for the store.
func disk(_ context.Context, m Machine, s *Subject) (string, []Result) {
	if s.Store == "" {
		return "", nil
	}
	free, err := m.Free(s.Store)
	switch {
	case err != nil:
		return "", minor(fmt.Sprintf("the space in %s is unknown: %v", s.Store, err), "it should be 8 GiB")
	case free < minSpace:
		return "", one(fmt.Sprintf("%d MiB are free for the store in %s", free>>20, s.Store), "free some space, or mount another file system there; 8 GiB are its quota")
	case free < quotaSpace:
		return "", minor(fmt.Sprintf("%d MiB are free for the store in %s, less than its quota of 8 GiB", free>>20, s.Store), "monitor it: netctl leader shows the size of the store")
	}
	return fmt.Sprintf("%d MiB free in %s", free>>20, s.Store), nil
}
