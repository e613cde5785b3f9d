// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/lab/hostinit"
)

func newAttach(w *where) *cobra.Command {
	var c lab.Container
	cmd := &cobra.Command{
		Use: "attach HOST NAME --network NETWORK", Short: "Make a container on a host and connect it, by the CNI plugin or with --docker by the host's engine",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			c.Host, c.Name = args[0], args[1]
			got, err := l.Attach(cmd.Context(), c)
			if err != nil {
				return err
			}
			for _, a := range got.IPs {
				fmt.Fprintln(w.s.Out, a)
			}
			return nil
		},
	}
	containerFlags(cmd, &c)
	cmd.Flags().BoolVar(&c.Docker, "docker", false, "have the host's Docker engine run it, of the image "+lab.Image)
	cmd.MarkFlagsOneRequired("network", "group")
	return cmd
}

func containerFlags(cmd *cobra.Command, c *lab.Container) {
	cmd.Flags().StringVarP(&c.Network, "network", "n", "", "network of the container")
	cmd.Flags().StringVarP(&c.Tenant, "tenant", "t", "default", "tenant of the network")
	cmd.Flags().StringVarP(&c.Group, "group", "g", "", "endpoint group of the container")
}

func newDetach(w *where) *cobra.Command {
	return &cobra.Command{
		Use: "detach NAME", Short: "Disconnect a container and delete it", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			return l.Detach(cmd.Context(), args[0])
		},
	}
}

func newExec(w *where) *cobra.Command {
	return &cobra.Command{
		Use: "exec HOST|NAME -- COMMAND", Short: "Run a command on a host or in a container", Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			run, err := l.In(cmd.Context(), args[0], args[1:]...)
			if err != nil {
				return err
			}
			return w.foreground(run)
		},
	}
}

// newHost is process 1 of a host; users never run it.
func newHost() *cobra.Command {
	return &cobra.Command{
		Use: "host DIR NAME", Hidden: true, Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return hostinit.Run(args[0], args[1]) },
	}
}

// newCNI calls the CNI plugin: with a directory and a container as JSON on the host itself, which is how the lab calls it, or with a host
// and a name from outside, without creating or deleting the container.
func newCNI(w *where) *cobra.Command {
	var c lab.Container
	cmd := &cobra.Command{
		Use: "cni add|del|check HOST NAME", Short: "Call the CNI plugin and nothing else", Hidden: true, Args: cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[1] != "" && args[1][0] == '/' {
				if err := json.Unmarshal([]byte(args[2]), &c); err != nil {
					return err
				}
				return lab.CNIOnHost(cmd.Context(), args[0], args[1], c, w.s.Out)
			}
			l, err := w.open()
			if err != nil {
				return err
			}
			c.Host, c.Name = args[1], args[2]
			r, err := l.CNI(cmd.Context(), args[0], c)
			for _, ip := range r.IPs {
				fmt.Fprintln(w.s.Out, ip.Address.Addr())
			}
			return err
		},
	}
	containerFlags(cmd, &c)
	return cmd
}

func newLabel(w *where) *cobra.Command {
	return &cobra.Command{
		Use: "label NAME [KEY=VALUE...]", Short: "Report a container's labels to netmasters; without labels, report its end", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			labels := map[string]string{}
			for _, word := range args[1:] {
				k, v, ok := strings.Cut(word, "=")
				if !ok {
					return fmt.Errorf("label %q: want KEY=VALUE", word)
				}
				labels[k] = v
			}
			return l.Label(cmd.Context(), args[0], labels)
		},
	}
}
