// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/contiv/contiv/lab/kube"
)

// Kubernetes is a cluster on the hosts of a lab: its control plane on the first, containerd and a kubelet on every one.
type Kubernetes struct {
	Bin        string `json:"bin"`                  // directory of kube, etcd, agnhost, coredns and cni, as make kubernetes builds it
	Containerd string `json:"containerd,omitempty"` // directory of another containerd than the machine's, with its runc
	Network    string `json:"network,omitempty"`    // of pods: one of kube's; empty: kube.NetworkContiv
	Proxy      bool   `json:"proxy,omitempty"`      // kube-proxy on every host
	CoreDNS    bool   `json:"coreDNS,omitempty"`    // the cluster's name server is CoreDNS
}

// cluster is the input of the parts of Kubernetes.
func (p *Plan) cluster() kube.Cluster {
	return kube.Cluster{Name: p.Name, Plane: netip.MustParseAddr(p.mgmt(1))}
}

// node is a host as Kubernetes has it.
func (p *Plan) node(host int) kube.Node {
	return kube.Node{Name: hostName(host), Cgroup: p.cgroup(hostName(host)),
		Addresses: []netip.Addr{netip.MustParseAddr(p.mgmt(host)), netip.MustParseAddr(p.mgmt6(host))}}
}

// mgmt6 is the IPv6 address of a host on the management network, which the hosts of a cluster have.
func (p *Plan) mgmt6(host int) string { return fmt.Sprintf("fd00:254:0:%x::%x", p.Number, host) }

// kubernetesArgs is the command line of a part of Kubernetes, nil when the host has no such part.
func (p *Plan) kubernetesArgs(host int, part string) []string {
	if p.Kubernetes == nil {
		return nil
	}
	if part == kube.Proxy && !p.Kubernetes.Proxy {
		return nil
	}
	var args []string
	if host == 1 {
		args = p.cluster().PlaneArgs(part)
	}
	if args == nil {
		args = p.node(host).NodeArgs(part)
	}
	if args != nil {
		args[0] = filepath.Join(p.Kubernetes.Bin, args[0])
	}
	return args
}

// FindKubernetes returns an error that names what this machine lacks for the Kubernetes of a plan.
func FindKubernetes(p Plan) error { return (&Lab{Plan: p}).findKubernetes() }

// findKubernetes looks the programs up.
func (l *Lab) findKubernetes() error {
	k := l.Kubernetes
	k.Network = cmp.Or(k.Network, kube.NetworkContiv)
	if k.Bin == "" {
		return errors.New("Kubernetes is not built: make kubernetes builds it below .cache/kubernetes, --kubernetes-bin says where it is")
	}
	wanted := []string{"kube", "etcd", "agnhost", "cni/loopback"}
	if k.CoreDNS {
		wanted = append(wanted, "coredns")
	}
	for _, program := range wanted {
		if _, err := os.Stat(filepath.Join(k.Bin, program)); err != nil {
			return fmt.Errorf("directory of Kubernetes: %w; make kubernetes builds one below .cache/kubernetes", err)
		}
	}
	if k.Containerd != "" {
		for _, program := range []string{"containerd", "containerd-shim-runc-v2", "runc"} {
			if _, err := os.Stat(filepath.Join(k.Containerd, program)); err != nil {
				return fmt.Errorf("directory of containerd: %w; make engines builds one in .cache/engines", err)
			}
		}
		if err := filters(filepath.Join(k.Containerd, "runc")); err != nil {
			return err
		}
	}
	for _, program := range []string{"containerd", "runc", "ctr", "nc", "curl"} {
		if _, err := l.lookPath(program); err != nil {
			return fmt.Errorf("%s is not installed: apt-get install containerd runc netcat-openbsd curl", program)
		}
	}
	if _, err := kube.NetworkConfig(k.Network, "1.0.0", 1); err != nil {
		return err
	}
	return nil
}

// healthClient checks parts of Kubernetes. Most have self-signed certificates, and no secret is sent.
func healthClient() *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
}

// filters refuses a runc that cannot filter system calls, as a kubelet requires for pods.
func filters(runc string) error {
	switch out, err := exec.Command(runc, "--version").Output(); {
	case err != nil:
		return fmt.Errorf("%s --version: %w", runc, err)
	case !bytes.Contains(out, []byte("libseccomp")):
		return fmt.Errorf("%s has no libseccomp: apt-get install libseccomp-dev pkg-config, remove it, and make engines builds it again", runc)
	}
	return nil
}
