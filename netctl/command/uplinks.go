// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

func newNodeUplinks(f *Factory) *cobra.Command {
	o := &output{}
	c := &cobra.Command{
		Use: "uplinks [HOST]", Short: "List the NICs of the hosts' VLAN trunks with their state and counters",
		Long: "Port is the OpenFlow port number used in flows. Used shows whether the host currently sends through the NIC. Received and Sent are bytes since the NIC came up.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runNodeUplinks(cmd.Context(), f, o, args) },
	}
	o.register(c)
	return c
}

// hostUplink is an uplink with its host.
type hostUplink struct {
	Host string `json:"host"`
	Bond string `json:"uplinkBond,omitempty"`
	model.Uplink
}

func runNodeUplinks(ctx context.Context, f *Factory, o *output, args []string) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	nodes, err := c.Nodes(ctx)
	if err != nil {
		return err
	}
	list := []hostUplink{}
	known := len(args) == 0
	for _, n := range nodes {
		if n.Role != model.RoleAgent || len(args) > 0 && n.Name != args[0] {
			continue
		}
		known = true
		for _, u := range n.Uplinks {
			list = append(list, hostUplink{n.Name, n.Bond, u})
		}
	}
	if !known {
		return model.Errorf(model.CodeNotFound, "host", "agent %q not found", args[0]).Try("list agents with netctl node ls")
	}
	l := &term.Listing{Value: list, Table: term.Table{Columns: columns("Host", "NIC", "Port", "Link", "Used", "Bond", "LACP", "Partner",
		"Received", "Sent")}}
	for _, u := range list {
		l.Row(u.Host+"/"+u.Name, []string{u.Host, u.Name, strconv.FormatUint(uint64(u.Port), 10), yesNo(u.Link), yesNo(u.Active), cmp.Or(u.Bond, "-"),
			cmp.Or(u.LACP, "-"), cmp.Or(u.Partner, "-"), strconv.FormatUint(u.RxBytes, 10), strconv.FormatUint(u.TxBytes, 10)})
	}
	return f.print(l, format)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
