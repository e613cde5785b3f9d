// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// objectID is the kind and the key of an object.
type objectID struct {
	kind *model.Kind
	key  string
}

// runDiffMoments prints how the objects of one moment differ from those of another, or of now.
func runDiffMoments(ctx context.Context, f *Factory, o *diffOptions, args []string) error {
	format, err := o.parse()
	if err != nil {
		return err
	}
	from, err := momentOf(f, "from", o.from)
	if err != nil {
		return err
	}
	to, err := momentOf(f, "to", o.to)
	if err != nil {
		return err
	}
	var kind *model.Kind
	if len(args) > 0 {
		if kind, err = kindOf(args[0]); err != nil {
			return err
		}
	}
	c, err := f.client()
	if err != nil {
		return err
	}
	key := ""
	if len(args) == 2 {
		of, err := (&scope{tenant: orDefault(o.tenant)}).find(ctx, c, kind, args[1])
		if err != nil {
			return err
		}
		key = model.Key(of...)
	}
	before, err := objectsAt(ctx, c, kind, from)
	if err != nil {
		return err
	}
	after, err := objectsThen(ctx, c, kind, to)
	if err != nil {
		return err
	}
	list := changesBetween(before, after, func(id objectID) bool {
		return (key == "" || id.key == key) && (o.tenant == "" || key != "" || id.kind.TenantScoped() && id.kind.Parts(id.key)[0] == o.tenant)
	})
	if err := f.differences(format, list); err != nil || len(list) == 0 {
		return err
	}
	fmt.Fprintf(f.Err, "%d objects differ\n", len(list))
	return term.Outcome(term.Differs)
}

func orDefault(tenant string) string {
	if tenant == "" {
		return "default"
	}
	return tenant
}

// objectsThen returns the objects of a moment; "" is now.
func objectsThen(ctx context.Context, c *client.Client, kind *model.Kind, at string) ([]model.Object, error) {
	if at != "" {
		return objectsAt(ctx, c, kind, at)
	}
	return objectsSince(ctx, c, kind, nil)
}

// changesBetween lists the selected objects that differ: those of after in its order, and then those that only before has.
func changesBetween(before, after []model.Object, selects func(objectID) bool) []changedObject {
	was := map[objectID]model.Object{}
	for _, object := range before {
		was[objectID{object.Kind(), object.ObjectKey()}] = object
	}
	out := []changedObject{}
	for _, object := range after {
		id := objectID{object.Kind(), object.ObjectKey()}
		old, existed := was[id]
		delete(was, id)
		c := changedObject{Kind: id.kind.Name, Key: id.key, Action: model.ActionCreated}
		if existed {
			c.Action, c.Changes = model.ActionUpdated, model.Differences(old, object)
		}
		if selects(id) && (!existed || len(c.Changes) > 0) {
			out = append(out, c)
		}
	}
	for _, object := range before {
		id := objectID{object.Kind(), object.ObjectKey()}
		if _, gone := was[id]; gone && selects(id) {
			out = append(out, changedObject{Kind: id.kind.Name, Key: id.key, Action: model.ActionDeleted})
		}
	}
	return out
}
