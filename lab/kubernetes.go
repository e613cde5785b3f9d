package lab

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/contiv/contiv/lab/kube"
)

// Kubernetes is a cluster on the hosts of a lab: its control plane on the first, containerd and a kubelet on every one.
type Kubernetes struct {
	Bin        string `json:"bin"`                  // folder of kube, etcd, agnhost, coredns and cni, as make kubernetes builds it
	Containerd string `json:"containerd,omitempty"` // folder of another containerd than the machine's, with its runc
	Network    string `json:"network,omitempty"`    // of pods: one of kube's; empty: kube.NetworkContiv
	Proxy      bool   `json:"proxy,omitempty"`      // kube-proxy on every host
	CoreDNS    bool   `json:"coreDNS,omitempty"`    // the cluster's name server is CoreDNS
}

// cluster is what the parts of Kubernetes are made from.
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
			return fmt.Errorf("folder of Kubernetes: %w; make kubernetes builds one below .cache/kubernetes", err)
		}
	}
	if k.Containerd != "" {
		for _, program := range []string{"containerd", "containerd-shim-runc-v2", "runc"} {
			if _, err := os.Stat(filepath.Join(k.Containerd, program)); err != nil {
				return fmt.Errorf("folder of containerd: %w; make engines builds one in .cache/engines", err)
			}
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

// startKubernetes starts the cluster and returns when all nodes are ready.
func (l *Lab) startKubernetes(ctx context.Context) error {
	images, err := l.podImages()
	if err != nil {
		return err
	}
	var running errgroup.Group
	running.Go(func() error {
		for _, part := range kube.Plane() {
			if err := l.Start(ctx, hostName(1), part); err != nil {
				return err
			}
		}
		return l.permit(ctx)
	})
	running.Go(func() error {
		err := l.each(func(host int) error {
			return l.Start(ctx, hostName(host), PartContainerd)
		})
		if err != nil {
			return err
		}
		return l.Import(ctx, images...)
	})
	if err := running.Wait(); err != nil {
		return err
	}
	err = l.each(func(host int) error {
		for _, part := range []string{kube.Kubelet, kube.Proxy} {
			if l.args(host, part) == nil {
				continue
			}
			if err := l.Start(ctx, hostName(host), part); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return l.awaitNodes(ctx)
}

// permit gives the netmasters their rights.
func (l *Lab) permit(ctx context.Context) error {
	return l.kubectl(ctx, "apply", "-f", filepath.Join(l.kubernetesDir(1), kube.RightsFile))
}

// kubectl runs a kubectl command of an administrator to its end.
func (l *Lab) kubectl(ctx context.Context, args ...string) error {
	cmd, err := l.Kubectl(ctx, args...)
	if err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", cmd, err, out)
	}
	return nil
}

// awaitNodes returns when pods can be made: all nodes are ready, and the account is there that pods run under.
func (l *Lab) awaitNodes(ctx context.Context) error {
	waits := [][]string{{"--for=create", "serviceaccount/default"}}
	for _, host := range l.hostNames() {
		waits = append(waits, []string{"--for=create", "node/" + host}, []string{"--for=condition=Ready", "node/" + host})
	}
	for _, args := range waits {
		if err := l.kubectl(ctx, append([]string{"wait", "--timeout=" + startPatience.String()}, args...)...); err != nil {
			return err
		}
	}
	l.say("nodes are ready")
	return nil
}

// Kubectl is a kubectl command, of an administrator, to be run on this machine.
func (l *Lab) Kubectl(ctx context.Context, args ...string) (*exec.Cmd, error) {
	if l.Kubernetes == nil {
		return nil, fmt.Errorf("lab %s has no Kubernetes: contiv lab up --kubernetes makes one with it", l.Name)
	}
	return exec.CommandContext(ctx, filepath.Join(l.Kubernetes.Bin, "kube"), slices.Concat([]string{"kubectl", "--kubeconfig", l.Kubeconfig()}, args)...), nil
}

// Kubeconfig is the file by which an administrator of the cluster reaches it from this machine.
func (l *Lab) Kubeconfig() string { return filepath.Join(l.kubernetesDir(1), "admin.conf") }

// kubernetesDir is where the machine sees kube.Dir of a host.
func (l *Lab) kubernetesDir(host int) string {
	return filepath.Join(l.hostDir(hostName(host)), filepath.Base(kube.Dir))
}

// writeKubernetes writes what the parts of all hosts read. The hosts are there.
func (l *Lab) writeKubernetes() error {
	cluster := l.cluster()
	authority, err := kube.NewAuthority(l.Name)
	if err != nil {
		return err
	}
	for i := range l.Hosts {
		files, err := cluster.NodeFiles(authority, l.node(i+1))
		if err == nil {
			err = l.writeFiles(i+1, files)
		}
		if err != nil {
			return err
		}
	}
	files, err := cluster.PlaneFiles(authority)
	if err != nil {
		return err
	}
	return l.writeFiles(1, files)
}

func (l *Lab) writeFiles(host int, files kube.Files) error {
	dir := l.kubernetesDir(host)
	if err := os.MkdirAll(filepath.Join(dir, "static"), 0o755); err != nil {
		return err
	}
	var errs []error
	for name, text := range files {
		errs = append(errs, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	return errors.Join(errs...)
}

// healthClient asks parts of Kubernetes how they are. Most have signed their certificates themselves, and nothing secret is asked.
func healthClient() *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
}
