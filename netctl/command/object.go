// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
)

// newObject returns the command group of a kind.
func newObject(f *Factory, k *model.Kind) *cobra.Command {
	c := &cobra.Command{Use: k.Command.Use, Aliases: k.Aliases(), Short: "Manage " + k.Nouns(), Long: k.Doc}
	for _, v := range []struct {
		name string
		make func() *cobra.Command
	}{
		{"create", func() *cobra.Command { create, _ := newCreate(f, k); return create }},
		{"rm", func() *cobra.Command { return newRemove(f, k) }},
		{"ls", func() *cobra.Command { return newList(f, k) }},
		{"inspect", func() *cobra.Command { return newInspect(f, k) }},
	} {
		if k.Command.Has(v.name) {
			c.AddCommand(v.make())
		}
	}
	switch k.Name {
	case model.KindPolicy().Name:
		addRules(f, model.KindRule(), c)
	case model.KindAppProfile().Name:
		addAppProfile(f, k, c)
	case model.KindExtContractsGroup().Name:
		addContracts(f, k, c)
	}
	return c
}

// nameArg returns the argument that names an object: the last part of its key.
func nameArg(k *model.Kind) string { return k.Key[len(k.Key)-1] }

// nameArgs returns the arguments that name an object: its key without the tenant.
func nameArgs(k *model.Kind) []string {
	if k.TenantScoped() {
		return k.Key[1:]
	}
	return k.Key
}

// complete returns the names of the tenant's objects for completion.
func complete(f *Factory, k *model.Kind, s *scope) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		c, err := f.client()
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		objects, err := c.List(cmd.Context(), k)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var names []string
		for _, o := range objects {
			if k.Namespaced() {
				names = append(names, fmt.Sprint(o.Field("namespace"), "/", o.Field(nameArg(k))))
				continue
			}
			if !k.TenantScoped() || fmt.Sprint(o.Field("tenantName")) == s.tenant {
				names = append(names, fmt.Sprint(o.Field(nameArg(k))))
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
