// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netctl/term"
)

func newDocknet(f *Factory) *cobra.Command {
	c := &cobra.Command{
		Use: "docknet", Short: "Manage the mapping of Docker networks to networks and groups",
		Long: "Each Docker network using this driver maps to a Contiv network or group. Users create Docker networks with docker network create; netmaster has a record of each. " +
			"Agents also create them for all networks and groups, which needs no record: these are not listed here, and docker network inspect on the host shows what they map to. " +
			"A Docker network is identified by its id in Docker, or an unambiguous prefix of the id.",
		Args: exactly(),
	}
	c.AddCommand(newDocknetList(f), newDocknetInspect(f), newDocknetRemove(f))
	return c
}

func newDocknetList(f *Factory) *cobra.Command {
	o, host := &output{}, ""
	c := &cobra.Command{
		Use: "ls", Short: "List the Docker networks of users", Aliases: []string{"list"}, Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runDocknetList(cmd.Context(), f, o, host) },
	}
	o.register(c)
	c.Flags().StringVar(&host, "host", "", "only the engine of this host")
	return c
}

func runDocknetList(ctx context.Context, f *Factory, o *output, host string) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	all, err := c.DockerNetworks(ctx)
	if err != nil {
		return err
	}
	if host != "" {
		all = slices.DeleteFunc(all, func(d model.DockerNetwork) bool { return d.Host != host })
	}
	l := docknetListing(all)
	for i := range all {
		l.Row(all[i].ID, docknetRow(&all[i]))
	}
	return f.print(l, format)
}

func docknetListing(list []model.DockerNetwork) *term.Listing {
	return &term.Listing{Table: term.Table{Columns: columns("Id", "Host", "Tenant", "Network", "Group", "Subnets", "Endpoints", "Made by")}, Value: list}
}

func docknetRow(d *model.DockerNetwork) []string {
	return []string{d.ShortID(), d.Host, d.Tenant, d.Network, d.Group, strings.Join(d.Pools, ","), strconv.Itoa(d.Endpoints), d.Maker()}
}

// docknetGroup gets the Docker networks with some ids or prefixes of ids, or all.
func docknetGroup(ctx context.Context, c *client.Client, format term.Format, ids []string) (*group, error) {
	list, err := c.DockerNetworks(ctx)
	if err != nil {
		return nil, err
	}
	if len(ids) > 0 {
		var wanted []model.DockerNetwork
		for _, id := range ids {
			d, err := docknetOf(list, id)
			if err != nil {
				return nil, err
			}
			wanted = append(wanted, d)
		}
		list = wanted
	}
	g := &group{title: "docknets", Listing: *docknetListing(list)}
	for i := range list {
		name := list[i].ID
		if format.Name == "name" {
			name = model.FoundDockerNetwork + "/" + name
		}
		g.Row(name, docknetRow(&list[i]))
		g.items = append(g.items, &list[i])
	}
	return g, nil
}

func runGetDocknets(ctx context.Context, f *Factory, o *output, ids []string) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	g, err := docknetGroup(ctx, c, format, ids)
	if err != nil {
		return err
	}
	return f.print(&g.Listing, format)
}

func newDocknetInspect(f *Factory) *cobra.Command {
	o := &output{}
	c := &cobra.Command{
		Use: "inspect ID", Short: "Show a Docker network", Args: exactly("ID"), ValidArgsFunction: completeDocknet(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := o.parse()
			if err != nil {
				return err
			}
			_, d, err := findDocknet(cmd.Context(), f, args[0])
			if err != nil {
				return err
			}
			return f.document(answer{names: []string{d.ID}, value: d}, format)
		},
	}
	o.registerOutput(c, "json")
	return c
}

func newDocknetRemove(f *Factory) *cobra.Command {
	o, dry := &output{}, dryRun("")
	c := &cobra.Command{
		Use: "rm ID", Short: "Delete the record of a network that no longer exists in Docker",
		Long: "The mapping of a Docker network is deleted when Docker removes the network. Use this command if the Docker engine lost its data. A " +
			"Contiv network created for the Docker network is deleted too, unless it is used otherwise. If an engine still has the Docker network, " +
			"containers can no longer be started on it.",
		Aliases: []string{"delete"}, Args: exactly("ID"), ValidArgsFunction: completeDocknet(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := o.parse()
			if err != nil {
				return err
			}
			c, d, err := findDocknet(cmd.Context(), f, args[0])
			if err != nil {
				return err
			}
			said := fmt.Sprintf("Docker network %s deleted\n", d.ID)
			if dry.on() {
				said = fmt.Sprintf("Docker network %s deleted (dry run)\n", d.ID)
			} else if err := c.ForgetDockerNetwork(cmd.Context(), model.DockerNetworkRemoval{ID: d.ID}); err != nil {
				return err
			}
			return f.answer(answer{said, []string{d.ID}, d}, format)
		},
	}
	o.registerOutput(c, "table")
	dry.register(c)
	return c
}

// findDocknet finds a Docker network by its id or a prefix of it, as in docknetOf.
func findDocknet(ctx context.Context, f *Factory, text string) (*client.Client, model.DockerNetwork, error) {
	c, err := f.client()
	if err != nil {
		return nil, model.DockerNetwork{}, err
	}
	all, err := c.DockerNetworks(ctx)
	if err != nil {
		return c, model.DockerNetwork{}, err
	}
	d, err := docknetOf(all, text)
	return c, d, err
}

// docknetOf finds the Docker network with an id, or with an id that begins with the text. The text may have "docknet/" before it.
func docknetOf(all []model.DockerNetwork, text string) (model.DockerNetwork, error) {
	if ref, ok := identity.ParseRef(text); ok && isDocknets(ref.Kind) {
		text = ref.Name
	}
	var found []model.DockerNetwork
	for _, d := range all {
		if d.ID == text {
			return d, nil
		}
		if text != "" && strings.HasPrefix(d.ID, text) {
			found = append(found, d)
		}
	}
	switch len(found) {
	case 0:
		return model.DockerNetwork{}, model.Errorf(model.CodeNotFound, "ID", "Docker network %s not found", text).
			Try("list those of users with netctl docknet ls; docker network inspect shows those that an agent has created")
	case 1:
		return found[0], nil
	}
	return model.DockerNetwork{}, model.Errorf(model.CodeConflict, "ID", "%d Docker networks begin with %s", len(found), text).Try("use a longer prefix of the id")
}

func completeDocknet(f *Factory) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return docknetIDs(cmd.Context(), f), cobra.ShellCompDirectiveNoFileComp
	}
}

// docknetIDs are the ids of Docker networks; none if netmaster does not answer.
func docknetIDs(ctx context.Context, f *Factory) (ids []string) {
	c, err := f.client()
	if err != nil {
		return nil
	}
	all, err := c.DockerNetworks(ctx)
	if err != nil {
		return nil
	}
	for _, d := range all {
		ids = append(ids, d.ID)
	}
	return ids
}
