// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/contiv/contiv/setup"
	"github.com/contiv/contiv/trust"
)

// podOptions has the flags of contiv pod.
type podOptions struct {
	pod        setup.Pod
	dir        string
	authority  string
	token      string
	netmasters []string
}

func (o *podOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.dir, "trust", trust.DefaultDir, "directory for the daemon's certificates")
	f.StringVar(&o.pod.Label, "label", "", "label of the host: the node's name")
	f.StringVar(&o.pod.Address, "address", "", "address at which other hosts reach this one")
}

func newPod() *cobra.Command {
	cmd := &cobra.Command{Use: "pod", Short: "Certificates of netmaster and netplugin in pods, for a container that runs before them", Args: cobra.NoArgs,
		Long: "Certificates of netmaster and netplugin in pods. An init container of deploy/kubernetes runs it: see docs/how-to/kubernetes-install.md.",
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(newPodMaster(), newPodAgent())
	return cmd
}

func newPodMaster() *cobra.Command {
	o := &podOptions{pod: setup.Pod{Now: time.Now}}
	cmd := &cobra.Command{Use: "netmaster", Short: "Certify a netmaster with the authority's key", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		o.pod.Trust = trust.Dir(o.dir)
		said, err := o.pod.Netmaster(trust.Dir(o.authority))
		if err == nil {
			_, err = fmt.Fprintln(cmd.OutOrStdout(), said)
		}
		return err
	}}
	o.flags(cmd.Flags())
	cmd.Flags().StringVar(&o.authority, "authority", "/etc/contiv/authority", "directory with the authority's ca.crt and ca.key")
	return cmd
}

func newPodAgent() *cobra.Command {
	o := &podOptions{pod: setup.Pod{Now: time.Now}}
	cmd := &cobra.Command{Use: "netplugin", Short: "Request an agent's certificate with its pod's service account token", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		o.pod.Trust = trust.Dir(o.dir)
		said, err := o.pod.Agent(cmd.Context(), o.authority, o.token, o.netmasters)
		if err == nil {
			_, err = fmt.Fprintln(cmd.OutOrStdout(), said)
		}
		return err
	}}
	o.flags(cmd.Flags())
	cmd.Flags().StringVar(&o.authority, "authority", "/etc/contiv/authority/ca.crt", "file of the authority's certificate")
	cmd.Flags().StringVar(&o.token, "token", "/etc/contiv/pod/token", "file of the service account token")
	cmd.Flags().StringSliceVar(&o.netmasters, "netmasters", nil, "addresses of netmasters, ADDRESS:9999,ADDRESS:9999")
	return cmd
}
