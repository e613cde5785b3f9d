package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// sample is what one transaction of netmaster puts, for bare transactions that put the same elsewhere.
type sample []store.Item

// sample carries out do, which makes an object, and returns what the transaction has put.
func (p *pair) sample(ctx context.Context, do func(context.Context) error) (sample, error) {
	for u, err := range p.Watch(ctx, record.Root) {
		switch {
		case err != nil:
			return nil, err
		case u.Full:
			if err := do(ctx); err != nil {
				return nil, err
			}
		case slices.ContainsFunc(u.Items, func(i store.Item) bool { return strings.HasPrefix(i.Key, record.Objects) }):
			return u.Items, nil
		}
	}
	return nil, ctx.Err()
}

// again is a transaction of the same puts, the n-th, where netmaster does not look.
func (s sample) again(n int) *store.Tx {
	tx := &store.Tx{}
	for _, item := range s {
		tx.Put(fmt.Sprintf("/bench/%05d/%s", n, strings.TrimPrefix(item.Key, record.Root)), item.Value)
	}
	return tx
}

// bytes of keys and values.
func (s sample) bytes() int {
	n := 0
	for _, item := range s {
		n += len(item.Key) + len(item.Value)
	}
	return n
}
