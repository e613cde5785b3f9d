// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"github.com/contiv/contiv/lab/hostinit"
	"github.com/contiv/contiv/lab/kube"
)

// kernelSettings are those that a kubelet would change for the whole machine, with its values.
func kernelSettings() map[string]string {
	return map[string]string{
		"vm/overcommit_memory": "1", "vm/panic_on_oom": "0", "kernel/panic": "10", "kernel/panic_on_oops": "1",
		"kernel/keys/root_maxkeys": "1000000", "kernel/keys/root_maxbytes": "25000000",
	}
}

// prepareNode gives a host directories of its own where Kubernetes' parts write: empty ones for their data, and layers over the machine's
// for their configuration. Files replace the settings of the kernel that all hosts share.
func (l *Lab) prepareNode(ctx context.Context, host int) error {
	if err := l.installCNI(host); err != nil {
		return err
	}
	dir := filepath.Join(l.hostDir(hostName(host)), "fs")
	bind := func(from, to string) []string {
		return []string{"mount", "--bind", hostinit.Inside + "/fs/" + from, to}
	}
	var steps [][]string
	for _, name := range []string{"var/lib", "var/log"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			return err
		}
		steps = append(steps, bind(name, "/"+name), []string{"mount", "--make-rshared", "/" + name})
	}
	for _, name := range []string{"etc", "opt"} {
		for _, layer := range []string{name, name + ".work"} {
			if err := os.MkdirAll(filepath.Join(dir, layer), 0o755); err != nil {
				return err
			}
		}
		upper := hostinit.Inside + "/fs/" + name
		steps = append(steps, []string{"mount", "-t", "overlay", "overlay", "-o", "lowerdir=/" + name + ",upperdir=" + upper + ",workdir=" + upper + ".work", "/" + name})
	}
	for name, value := range kernelSettings() {
		file := "proc/" + name
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(value+"\n"), 0o644); err != nil {
			return err
		}
		steps = append(steps, bind(file, "/proc/sys/"+name))
	}
	// It identifies the machine.
	id := sha256.Sum256([]byte(l.Name + "/" + hostName(host)))
	if err := os.WriteFile(filepath.Join(dir, "etc/machine-id"), []byte(hex.EncodeToString(id[:16])+"\n"), 0o444); err != nil {
		return err
	}
	steps = append(steps, []string{"ip", "-6", "addr", "replace", l.mgmt6(host) + "/64", "dev", "mgmt0", "nodad"})
	for _, args := range append(steps, l.podRoutes(host)...) {
		if err := l.onHost(ctx, host, args...); err != nil {
			return err
		}
	}
	return makeGroup(l.cgroup(hostName(host)))
}

// podRoutes are the commands that add the routes between the nodes' pods if Contiv is not their network.
func (l *Lab) podRoutes(host int) [][]string {
	if l.Kubernetes.Network != kube.NetworkBridge {
		return nil
	}
	steps := [][]string{{"sysctl", "-q", "-w", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1"}}
	for i := range l.Hosts {
		if i+1 == host {
			continue
		}
		for _, s := range kube.Subnets(i + 1) {
			via := l.mgmt(i + 1)
			if s.Addr().Is6() {
				via = l.mgmt6(i + 1)
			}
			steps = append(steps, []string{"ip", "route", "replace", s.String(), "via", via})
		}
	}
	return steps
}

// installCNI puts the plugins, and the configuration for pods, where a host's runtime looks for them.
func (l *Lab) installCNI(host int) error {
	fs := filepath.Join(l.hostDir(hostName(host)), "fs")
	bin, conf := filepath.Join(fs, "opt/cni/bin"), filepath.Join(fs, "etc/cni/net.d")
	for _, dir := range []string{bin, conf} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	plugins, err := filepath.Glob(filepath.Join(l.Kubernetes.Bin, "cni", "*"))
	if err != nil {
		return err
	}
	if l.Kubernetes.Network == kube.NetworkContiv {
		plugins = append(plugins, filepath.Join(l.Bin, "contivk8s"))
	}
	for _, p := range plugins {
		if err := os.Symlink(p, filepath.Join(bin, filepath.Base(p))); err != nil {
			return err
		}
	}
	text, err := kube.NetworkConfig(l.Kubernetes.Network, l.cniVersion(), host)
	if err != nil || text == nil {
		return err
	}
	return os.WriteFile(filepath.Join(conf, "10-"+l.Kubernetes.Network+".conflist"), text, 0o644)
}

// cniVersion is the newest version of CNI that the lab's containerd supports: that of Debian ends before 1.1.0.
func (l *Lab) cniVersion() string {
	if l.Kubernetes.Containerd != "" {
		return "1.1.0"
	}
	return "1.0.0"
}
