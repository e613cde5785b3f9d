// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

func newNode(f *Factory) *cobra.Command {
	c := &cobra.Command{Use: "node", Short: "Show masters and agents",
		Long: "Nodes are the netmasters and the agents. Lag is the number of relevant store revisions that an agent has not applied yet, Missing " +
			"the number of endpoints without an interface on their host. \"?\" is an unknown value. With -o wide, column Docker shows the engine of " +
			"the host: version, running containers, synchronized networks, and problems. Kubernetes shows whether the master reads its API, which " +
			"only the leader does."}
	o := &output{}
	ls := &cobra.Command{
		Use: "ls", Aliases: []string{"list"}, Short: "List masters and agents with leader, lag and version", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runNodeList(cmd.Context(), f, o) },
	}
	o.register(ls)
	c.AddCommand(ls, newNodeUplinks(f), newNodeForget(f))
	return c
}

func runNodeList(ctx context.Context, f *Factory, o *output, names ...string) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	g, err := nodeGroup(ctx, c, format, names)
	if err != nil {
		return err
	}
	return f.print(&g.Listing, format)
}

// nodeGroup gets the nodes with some names or addresses, or all.
func nodeGroup(ctx context.Context, c *client.Client, format term.Format, names []string) (*group, error) {
	nodes, err := c.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	if len(names) > 0 {
		if nodes, err = model.NodesOf(nodes, names...); err != nil {
			return nil, err
		}
	}
	g := &group{title: "nodes", Listing: term.Listing{Table: term.Table{Columns: model.ViewNodes().Columns(format.Wide())}, Value: nodes}}
	for i := range nodes {
		name := nodes[i].Name
		if format.Name == "name" {
			name = "node/" + name
		}
		g.Row(name, term.ViewRow(model.ViewNodes(), format.Wide(), &nodes[i], nil))
		g.items = append(g.items, &nodes[i])
	}
	return g, nil
}
