// SPDX-License-Identifier: Apache-2.0

package commit

import (
	"context"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/history"
)

type actorKey struct{}

// By returns a context whose requests are recorded as those of who.
func By(ctx context.Context, who model.Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, history.Stamp{By: who})
}

// Actor returns the actor as whom a context's requests are recorded.
func Actor(ctx context.Context) model.Actor { return stampOf(ctx).By }

// Own returns a context whose requests are recorded as the master's own, with the reason.
func Own(ctx context.Context, why string) context.Context {
	return context.WithValue(ctx, actorKey{}, history.Stamp{By: model.Actor{Program: self}, Why: why})
}

// Because returns a context whose requests are recorded with a reason, for the same actor.
func Because(ctx context.Context, why string) context.Context {
	s := stampOf(ctx)
	s.Why = why
	return context.WithValue(ctx, actorKey{}, s)
}

// self is the master's name in the history.
const self = "netmaster"

// stampOf returns the stamp set by By or Own; without either, the master's own.
func stampOf(ctx context.Context) history.Stamp {
	if s, ok := ctx.Value(actorKey{}).(history.Stamp); ok {
		return s
	}
	return history.Stamp{By: model.Actor{Program: self}}
}
