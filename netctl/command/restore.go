// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
)

// runObjectsAt prints the earlier states of all objects, or of those of a kind, as a file for apply; or the objects created since, as a
// file for delete.
func runObjectsAt(ctx context.Context, f *Factory, o *historyOptions, args []string) error {
	var kind *model.Kind
	if len(args) > 0 {
		var err error
		if kind, err = kindOf(args[0]); err != nil {
			return err
		}
	}
	c, at, err := o.past(f)
	if err != nil {
		return err
	}
	objects, err := objectsAt(ctx, c, kind, at)
	if err != nil {
		return err
	}
	if o.later {
		if objects, err = objectsSince(ctx, c, kind, objects); err != nil {
			return err
		}
	}
	objects = slices.DeleteFunc(objects, func(object model.Object) bool { return !isOf(object, o.only) })
	format, err := o.parse()
	if err != nil {
		return err
	}
	return f.manifests(format, objects)
}

// past returns the client, after it has checked --at.
func (o *historyOptions) past(f *Factory) (*client.Client, string, error) {
	at, err := momentOf(f, "at", o.at)
	if err != nil {
		return nil, "", err
	}
	c, err := f.client()
	return c, at, err
}

func objectsAt(ctx context.Context, c *client.Client, kind *model.Kind, at string) ([]model.Object, error) {
	answer, err := c.ObjectsAt(ctx, kind, at)
	if err != nil {
		return nil, err
	}
	out := make([]model.Object, len(answer))
	for i, a := range answer {
		k, err := kindOf(a.Kind)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(a.Fields)
		if err != nil {
			return nil, local(err)
		}
		out[i] = k.New()
		if err := json.Unmarshal(text, out[i]); err != nil {
			return nil, local(err)
		}
	}
	return out, nil
}

// objectsSince lists the objects that exist now and are not in old.
func objectsSince(ctx context.Context, c *client.Client, kind *model.Kind, old []model.Object) ([]model.Object, error) {
	type name struct {
		kind *model.Kind
		key  string
	}
	was := map[name]bool{}
	for _, o := range old {
		was[name{o.Kind(), o.ObjectKey()}] = true
	}
	kinds := model.Order()
	if kind != nil {
		kinds = []*model.Kind{kind}
	}
	var out []model.Object
	for _, k := range kinds {
		objects, err := c.List(ctx, k)
		if err != nil {
			return nil, err
		}
		for _, o := range objects {
			if !was[name{k, o.ObjectKey()}] {
				out = append(out, o)
			}
		}
	}
	return out, nil
}
