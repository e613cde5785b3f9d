package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// pruning has the flags of commands that treat files as the complete list of a tenant's objects.
type pruning struct {
	prune, yes bool
	tenant     string
}

func (o *pruning) register(c *cobra.Command) {
	c.Flags().BoolVar(&o.prune, "prune", false, "delete the objects of --tenant that are not in the files")
	c.Flags().StringVarP(&o.tenant, "tenant", "t", "", "with --prune: tenant whose other objects are deleted")
}

func (o *pruning) check() error {
	switch {
	case o.prune && o.tenant == "":
		return term.BadUsage("--prune requires --tenant TENANT, the tenant whose other objects are deleted")
	case !o.prune && (o.tenant != "" || o.yes):
		return term.BadUsage("--tenant and --yes require --prune")
	}
	return nil
}

// gone lists the objects of the tenant that are not among objects; none without --prune. The tenant itself stays. Files without objects of
// the tenant are refused: they belong to another. It asks netmaster for the objects of each kind.
func (o *pruning) gone(ctx context.Context, c *client.Client, objects []model.ApplyObject) ([]model.ApplyObject, error) {
	if !o.prune {
		return nil, nil
	}
	if _, err := c.Tenants().Get(ctx, o.tenant); err != nil && !client.IsCode(err, model.CodeNotFound) {
		return nil, err
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
	if !own {
		return nil, term.Exitf(term.Usage, "the files have no object of tenant %s: --prune would delete all its objects (use netctl export -t %s | netctl delete -f - to do that)", o.tenant, o.tenant)
	}
	var out []model.ApplyObject
	for _, k := range model.Order() {
		if !k.TenantScoped() {
			continue
		}
		list, err := c.List(ctx, k)
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
