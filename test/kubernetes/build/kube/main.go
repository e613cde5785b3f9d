// SPDX-License-Identifier: Apache-2.0

// Command kube is Kubernetes' control plane, its parts of a node, kubeadm and kubectl in one program, for the hosts of a lab: linking them
// once takes a fifth of the time and space. The role is the first argument, or the name by which the program was called.
//
//	kube kube-apiserver --help
//	ln kube kubectl; ./kubectl version
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"

	// What the programs of these names register beside their commands: the JSON form of logs, and metrics.
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"

	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubeadm "k8s.io/kubernetes/cmd/kubeadm/app/cmd"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

// roles make the command of each role.
func roles() map[string]func() *cobra.Command {
	return map[string]func() *cobra.Command{
		"kube-apiserver":          apiserver.NewAPIServerCommand,
		"kube-controller-manager": controllers.NewControllerManagerCommand,
		"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
		"kube-proxy":              proxy.NewProxyCommand,
		"kubelet":                 func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
		"kubeadm":                 func() *cobra.Command { return kubeadm.NewKubeadmCommand(os.Stdin, os.Stdout, os.Stderr) },
		"kubectl":                 func() *cobra.Command { return kubectl.NewDefaultKubectlCommand() },
	}
}

func main() {
	all := roles()
	role := filepath.Base(os.Args[0])
	if all[role] == nil && len(os.Args) > 1 {
		os.Args = os.Args[1:] // the roles read it themselves
		role = os.Args[0]
	}
	command := all[role]
	if command == nil {
		fmt.Fprintf(os.Stderr, "role: got %q, want one of %s\n", role, strings.Join(slices.Sorted(maps.Keys(all)), ", "))
		os.Exit(2)
	}
	os.Exit(cli.Run(command()))
}
