// SPDX-License-Identifier: Apache-2.0

package command

import (
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/lab/kube"
)

// builtKubernetes finds the directories that make kubernetes builds.
const builtKubernetes = ".cache/kubernetes/v*"

// podOptions are the flags of Kubernetes.
type podOptions struct {
	on bool
	lab.Kubernetes
}

func (o *podOptions) flags(f *pflag.FlagSet) {
	f.BoolVar(&o.on, "kubernetes", false, "Kubernetes: its control plane on h1, containerd and a kubelet on every host")
	f.StringVar(&o.Bin, "kubernetes-bin", "", "directory of kube, etcd, agnhost, coredns and cni, as make kubernetes builds it; implies --kubernetes (default: the newest in "+builtKubernetes+")")
	f.StringVar(&o.Containerd, "containerd-bin", "", "directory of containerd and runc for Kubernetes, as make engines builds it (default: the machine's)")
	f.StringVar(&o.Network, "pod-network", kube.NetworkContiv, "what connects pods: "+kube.NetworkContiv+", "+kube.NetworkBridge+" to compare with, or "+kube.NetworkNone+" to install one (with --bare, no part of contiv runs)")
	f.BoolVar(&o.Proxy, "kube-proxy", false, "kube-proxy on every host")
	f.BoolVar(&o.CoreDNS, "coredns", false, "CoreDNS as the cluster's name server")
}

// kubernetes returns what the flags select, nil for none.
func (o *podOptions) kubernetes() (*lab.Kubernetes, error) {
	if !o.on && o.Bin == "" {
		return nil, nil
	}
	k := o.Kubernetes
	if k.Bin == "" {
		found, err := filepath.Glob(builtKubernetes) // sorted
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			k.Bin = found[len(found)-1]
		}
	}
	for _, dir := range []*string{&k.Bin, &k.Containerd} {
		if *dir == "" {
			continue
		}
		var err error
		if *dir, err = filepath.Abs(*dir); err != nil {
			return nil, err
		}
	}
	return &k, nil
}

// newKubectl runs kubectl. Flags after its first word belong to kubectl.
func newKubectl(w *where) *cobra.Command {
	cmd := &cobra.Command{
		Use: "kubectl ARG...", Short: "Run kubectl as the administrator of the lab's Kubernetes", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			run, err := l.Kubectl(cmd.Context(), args...)
			if err != nil {
				return err
			}
			return w.foreground(run)
		},
	}
	cmd.Flags().SetInterspersed(false)
	return cmd
}
