package commit

import (
	"context"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/history"
)

type actorKey struct{}

// By returns a context whose requests are recorded as who's.
func By(ctx context.Context, who model.Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, history.Stamp{By: who})
}

// Actor is as whose a context's requests are recorded.
func Actor(ctx context.Context) model.Actor { return stampOf(ctx).By }

// Own returns a context whose requests are recorded as the master's own, with the reason.
func Own(ctx context.Context, why string) context.Context {
	return context.WithValue(ctx, actorKey{}, history.Stamp{By: model.Actor{Program: self}, Why: why})
}

// Because returns a context whose requests are recorded with a reason, as of whom they were.
func Because(ctx context.Context, why string) context.Context {
	s := stampOf(ctx)
	s.Why = why
	return context.WithValue(ctx, actorKey{}, s)
}

// self is how the master appears in the history.
const self = "netmaster"

// stampOf is what By or Own has said; without either it is the master's own.
func stampOf(ctx context.Context) history.Stamp {
	if s, ok := ctx.Value(actorKey{}).(history.Stamp); ok {
		return s
	}
	return history.Stamp{By: model.Actor{Program: self}}
}
