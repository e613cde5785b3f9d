// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// sample is what one transaction of netmaster puts, for bare transactions that put the same elsewhere, under a fence as well.
type sample struct {
	puts  []store.Item
	fence store.Fence
}

// sample carries out do, which makes an object, and returns what the transaction has put.
func (p *pair) sample(ctx context.Context, do func(context.Context) error) (s sample, err error) {
	lock := &store.Tx{}
	lock.Put("/bench/lock", []byte("bench"))
	s.fence.Key = "/bench/lock"
	if s.fence.Created, err = p.Commit(ctx, lock); err != nil {
		return s, err
	}
	for u, err := range p.Watch(ctx, record.Root) {
		if err != nil {
			return s, err
		}
		if u.Full {
			if err := do(ctx); err != nil {
				return s, err
			}
			continue
		}
		for _, item := range u.Items {
			if strings.HasPrefix(item.Key, record.Objects) { // an update may have other transactions as well
				s.puts = slices.DeleteFunc(u.Items, func(i store.Item) bool { return i.Revision != item.Revision })
				return s, nil
			}
		}
	}
	return s, ctx.Err()
}

// again is a transaction of the same puts, the n-th, where netmaster does not look.
func (s sample) again(n int) *store.Tx {
	tx := &store.Tx{}
	tx.Under(s.fence)
	for _, item := range s.puts {
		tx.Put(fmt.Sprintf("/bench/%05d/%s", n, strings.TrimPrefix(item.Key, record.Root)), item.Value)
	}
	return tx
}

// bytes of keys and values.
func (s sample) bytes() int {
	n := 0
	for _, item := range s.puts {
		n += len(item.Key) + len(item.Value)
	}
	return n
}
