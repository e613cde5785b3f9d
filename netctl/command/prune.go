// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// pruning has the flags of commands that treat files as the complete list of a set of objects: those of a tenant, those with certain labels,
// or those of the tenant with the labels.
type pruning struct {
	prune, yes bool
	tenant     string
	selector   selectorFlag
}

func (o *pruning) register(c *cobra.Command) {
	c.Flags().BoolVar(&o.prune, "prune", false, "delete the objects that --selector, --tenant or both select and that are not in the files")
	c.Flags().StringVarP(&o.tenant, "tenant", "t", "", "with --prune: tenant whose other objects are deleted")
	o.selector.register(c, `with --prune: labels whose other objects are deleted, as in "app=web"; all objects of the files must have them`)
}

func (o *pruning) check() error {
	switch {
	case !o.prune && (o.tenant != "" || o.selector.given() || o.yes):
		return term.BadUsage("--tenant, --selector and --yes require --prune")
	case o.prune && o.tenant == "" && !o.selector.given():
		return term.BadUsage("--prune requires --selector LABELS or --tenant TENANT, whose other objects are deleted")
	}
	return o.selector.check()
}

// prunes reports whether objects of a kind may be deleted. With a tenant, they are those in the tenant, but not the tenant itself. Settings
// of the cluster stay.
func (o *pruning) prunes(k *model.Kind) bool {
	if o.tenant != "" {
		return k.TenantScoped()
	}
	return !k.Command.Single
}

// gone lists the selected objects that are not among objects; none without --prune. Files without objects of the tenant are refused: they
// belong to another. netmaster refuses files with objects that the selector does not match. gone asks netmaster for the objects of each kind.
func (o *pruning) gone(ctx context.Context, c *client.Client, objects []model.ApplyObject) ([]model.ApplyObject, error) {
	if !o.prune {
		return nil, nil
	}
	if o.tenant != "" {
		if _, err := c.Tenants().Get(ctx, o.tenant); err != nil && !client.IsCode(err, model.CodeNotFound) {
			return nil, err
		}
	}
	placed, err := inOrder(objects, false)
	if err != nil {
		return nil, err
	}
	kept, own := map[string]bool{}, false
	for _, p := range placed {
		k, err := kindOf(p.Kind)
		if err != nil {
			return nil, err
		}
		kept[k.Name+"/"+p.key] = true
		own = own || p.Fields["tenantName"] == o.tenant
	}
	if o.tenant != "" && !own {
		return nil, term.Exitf(term.Usage, "the files have no object of tenant %s: --prune would delete all its objects (use netctl tenant rm %s --cascade to do that)", o.tenant, o.tenant)
	}
	var out []model.ApplyObject
	for _, k := range model.Order() {
		if !o.prunes(k) {
			continue
		}
		list, err := c.List(ctx, k, client.Labels(o.selector.text))
		if err != nil {
			return nil, err
		}
		for _, object := range list {
			if isOf(object, o.tenant) && !kept[k.Name+"/"+object.ObjectKey()] {
				out = append(out, keyOf(object))
			}
		}
	}
	return out, nil
}
