package objects

import (
	"context"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/access"
)

// sight tells of each key of a kind whether the one who asks may see the object; nil: all of them.
func sight(ctx context.Context, k *model.Kind) func(key string) bool {
	who := access.Of(ctx)
	if who.SeesAll(k) {
		return nil
	}
	return func(key string) bool { return who.Sees(k, key) }
}

// discreet is a refusal as it is told to who does not see all tenants: a remedy may name objects of others.
func discreet(ctx context.Context, err error) error {
	if err == nil || access.Of(ctx).Everywhere() {
		return err
	}
	e := *model.AsError(err)
	if e.Code == model.CodeNotFound {
		e.Remedy = "netctl get KIND lists the objects in your tenants"
	}
	return &e
}
