// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netctl/term"
)

func newEndpoint(f *Factory, k *model.Kind) *cobra.Command {
	c := &cobra.Command{Use: k.Command.Use, Aliases: k.Aliases(), Short: "Show " + k.Nouns(), Long: k.Doc}
	c.AddCommand(newInspect(f, k), newEndpointList(f, k))
	return c
}

type endpointListOptions struct {
	output
	selection
	kind                         *model.Kind
	tenant, network, group, host string
	namespace                    string
	all                          bool
}

func newEndpointList(f *Factory, k *model.Kind) *cobra.Command {
	o := &endpointListOptions{kind: k}
	c := &cobra.Command{
		Use: "ls", Aliases: []string{"list"}, Short: "List endpoints", Args: exactly(),
		PreRunE: func(*cobra.Command, []string) error {
			if o.all && o.tenant != "" {
				return term.BadUsage("--all and --tenant %s exclude each other: remove one", o.tenant)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return runEndpointList(cmd.Context(), f, o) },
	}
	o.output.register(c)
	o.selection.register(c, k)
	c.Flags().StringVarP(&o.tenant, "tenant", "t", "", "only this tenant")
	c.Flags().BoolVarP(&o.all, "all", "a", false, "all tenants, as without --tenant")
	c.Flags().StringVarP(&o.network, "network", "n", "", "only this network")
	c.Flags().StringVarP(&o.group, "group", "g", "", "only this group")
	c.Flags().StringVar(&o.host, "host", "", "only this host")
	c.Flags().StringVar(&o.namespace, "namespace", "", "only pods of this Kubernetes namespace")
	return c
}

func (o *endpointListOptions) selects(e *model.EndpointOper) bool {
	_, network, _ := identity.Cut(e.NetworkKey())
	group, _ := identity.ParseReversedGroup(e.EndpointGroupKey)
	pod, _ := identity.ParsePodPath(e.Pod)
	for _, c := range []struct{ want, have string }{{o.namespace, pod.Namespace}, {o.tenant, e.Tenant()}, {o.network, network}, {o.group, group.Name}, {o.host, e.HomingHost}} {
		if c.want != "" && c.want != c.have {
			return false
		}
	}
	return true
}

func runEndpointList(ctx context.Context, f *Factory, o *endpointListOptions) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	key := func(e *model.EndpointOper) string { return e.Key }
	n, l, err := paged[*model.EndpointOper]{o.kind, o.columns(o.kind, format), format, o.selects, key}.print(f, c.Endpoints().Pages(ctx, o.pages()...))
	if err != nil || n > 0 {
		return err
	}
	if err := o.exist(ctx, c); err != nil {
		return err
	}
	return f.print(l, format)
}

// exist returns an error if a tenant, namespace, network, group or host of the selection does not exist.
func (o *endpointListOptions) exist(ctx context.Context, c *client.Client) error {
	if o.namespace != "" {
		if _, err := c.KubeNamespaces().Get(ctx, o.namespace); err != nil {
			return err
		}
	}
	if o.tenant != "" {
		if _, err := c.Tenants().Get(ctx, o.tenant); err != nil {
			return err
		}
	}
	for _, x := range []struct {
		kind *model.Kind
		name string
	}{{model.KindNetwork(), o.network}, {model.KindEndpointGroup(), o.group}} {
		if x.name == "" {
			continue
		}
		objects, err := c.List(ctx, x.kind)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(objects, func(object model.Object) bool {
			return object.Field(nameArg(x.kind)) == x.name && (o.tenant == "" || object.Field("tenantName") == o.tenant)
		}) {
			return model.Errorf(model.CodeNotFound, x.kind.Name, "%s %s not found", x.kind.Command.Use, strings.TrimPrefix(model.Key(o.tenant, x.name), ":")).Try("list them with %s", x.kind.Listing())
		}
	}
	if o.host == "" {
		return nil
	}
	nodes, err := c.Nodes(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(nodes, func(n model.Node) bool { return n.Role == model.RoleAgent && n.Name == o.host }) {
		return model.Errorf(model.CodeNotFound, "host", "agent %q not found", o.host).Try("list agents with netctl node ls")
	}
	return nil
}
