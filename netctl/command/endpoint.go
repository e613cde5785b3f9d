package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

func newEndpoint(f *Factory, k *model.Kind) *cobra.Command {
	c := &cobra.Command{Use: k.Command.Use, Aliases: k.Aliases(), Short: k.Title + " operations", Long: k.Doc}
	c.AddCommand(newInspect(f, k), newEndpointList(f, k))
	return c
}

type endpointListOptions struct {
	output
	kind                         *model.Kind
	tenant, network, group, host string
	all                          bool
}

func newEndpointList(f *Factory, k *model.Kind) *cobra.Command {
	o := &endpointListOptions{kind: k}
	c := &cobra.Command{
		Use: "ls", Aliases: []string{"list"}, Short: "List endpoints", Args: exactly(),
		PreRunE: func(*cobra.Command, []string) error {
			if o.all && o.tenant != "" {
				return term.BadUsage("--all is of all tenants, and --tenant %s of one: give one of them", o.tenant)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return runEndpointList(cmd.Context(), f, o) },
	}
	o.register(c)
	c.Flags().StringVarP(&o.tenant, "tenant", "t", "", "of this tenant alone")
	c.Flags().BoolVarP(&o.all, "all", "a", false, "of all tenants, as without --tenant")
	c.Flags().StringVarP(&o.network, "network", "n", "", "on this network alone")
	c.Flags().StringVarP(&o.group, "group", "g", "", "in this group alone")
	c.Flags().StringVar(&o.host, "host", "", "on this host alone")
	return c
}

func (o *endpointListOptions) selects(e model.EndpointOper) bool {
	network, tenant, _ := strings.Cut(e.Network, ".")
	group, _, _ := strings.Cut(e.EndpointGroupKey, ":")
	for _, c := range []struct{ want, have string }{{o.tenant, tenant}, {o.network, network}, {o.group, group}, {o.host, e.HomingHost}} {
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
	all, err := c.EndpointList(ctx)
	if err != nil {
		return err
	}
	kept := []model.EndpointOper{}
	l := &listing{Table: term.Table{Columns: term.Columns(o.kind, format.Wide())}}
	for _, e := range all {
		if o.selects(e) {
			kept = append(kept, e)
			l.row(e.EndpointID, term.Row(l.Columns, e.Field))
		}
	}
	l.value = kept
	return l.write(f, format)
}
