// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"context"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/auth"
)

// visibility returns a function that reports whether the user of ctx may see the object with a key, or nil if the user may see all.
func visibility(ctx context.Context, k *model.Kind) func(key string) bool {
	who := auth.Of(ctx)
	if who.SeesAll(k) {
		return nil
	}
	return func(key string) bool { return who.Sees(k, key) }
}

// hideNames replaces the remedy of a refusal for users who do not see all tenants: it may name objects of others.
func hideNames(ctx context.Context, err error) error {
	if err == nil || auth.Of(ctx).Everywhere() {
		return err
	}
	e := *model.AsError(err)
	if e.Code == model.CodeNotFound {
		e.Remedy = "netctl get KIND lists the objects in your tenants"
	}
	return &e
}
