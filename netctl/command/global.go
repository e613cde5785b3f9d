package command

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

func newGlobal(f *Factory, k *model.Kind) *cobra.Command {
	c := &cobra.Command{Use: k.Command.Use, Short: k.Title, Long: k.Doc}
	c.AddCommand(newGlobalInfo(f), newGlobalInspect(f, k), newGlobalSet(f, k))
	return c
}

func newGlobalInfo(f *Factory) *cobra.Command {
	var ignored struct {
		tenant string
		all    bool
	}
	o := &output{}
	c := &cobra.Command{
		Use: "info", Short: "Show the global settings", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runGlobalInfo(cmd.Context(), f, o) },
	}
	c.Flags().BoolVarP(&o.json, "json", "j", false, "print JSON")
	c.Flags().StringVarP(&ignored.tenant, "tenant", "t", "default", "ignored, for old scripts")
	c.Flags().BoolVarP(&ignored.all, "all", "a", false, "ignored, for old scripts")
	return c
}

func runGlobalInfo(ctx context.Context, f *Factory, o *output) error {
	c, err := f.client()
	if err != nil {
		return err
	}
	list, err := c.Globals().List(ctx)
	if err != nil {
		return err
	}
	if o.json {
		return local(term.WriteJSON(f.Out, list))
	}
	for _, g := range list {
		err := printf(f.Out, "Fabric mode: %s\nForward mode: %s\nARP mode: %s\nVlan Range: %s\nVxlan range: %s\nPrivate subnet: %s\n",
			g.NetworkInfraType, g.FwdMode, g.ArpMode, g.Vlans, g.Vxlans, g.PvtSubnet)
		if err != nil {
			return err
		}
	}
	return nil
}

// globalName is the key of the one object.
const globalName = "global"

func newGlobalInspect(f *Factory, k *model.Kind) *cobra.Command {
	return &cobra.Command{
		Use: "inspect", Short: "Show the global settings with their operational state", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runInspect(cmd.Context(), f, &inspectOptions{kind: k, name: globalName})
		},
	}
}

func newGlobalSet(f *Factory, k *model.Kind) *cobra.Command {
	fields := map[string]any{}
	c := &cobra.Command{
		Use: "set", Short: "Change global settings; what is not given stays", Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runGlobalSet(cmd.Context(), f, fields) },
	}
	for _, fl := range k.Command.Flags {
		addFlag(c.Flags(), k, fl, fields)
	}
	return c
}

// runGlobalSet reads the object, replaces what is given, and posts it.
func runGlobalSet(ctx context.Context, f *Factory, fields map[string]any) error {
	c, err := f.client()
	if err != nil {
		return err
	}
	g, err := c.Globals().Get(ctx, globalName)
	if err != nil {
		return err
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return local(err)
	}
	if err := json.Unmarshal(text, g); err != nil {
		return local(err)
	}
	_, err = c.Globals().Put(ctx, g)
	return err
}
