// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"context"
	"errors"
	"fmt"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/idletimeout"
)

const (
	page        = 2000 // keys per request to a server that cannot stream
	compactions = 3    // how often a list is restarted because the server has compacted its revision
	// timeout is the number of timeouts within which a part of a stream must be complete: a server sends up to its largest request at
	// once.
	timeout = 10
)

// listing is everything under a prefix at one revision, with the identification of the history.
type listing struct {
	items  []store.Item
	newest marks
	header *pb.ResponseHeader
}

// List implements store.Store.
func (s *Store) List(ctx context.Context, prefix string) ([]store.Item, store.Revision, error) {
	l, err := s.list(ctx, prefix)
	if err != nil {
		return nil, 0, err
	}
	return l.items, store.Revision(l.header.Revision), nil
}

func (s *Store) list(ctx context.Context, prefix string) (*listing, error) {
	var l *listing
	header, err := s.scan(ctx, prefix, func() func([]*mvccpb.KeyValue) {
		l = &listing{}
		return func(kvs []*mvccpb.KeyValue) {
			for _, kv := range kvs {
				l.items = append(l.items, item(kv))
				l.newest.put(kv)
			}
		}
	})
	if err != nil {
		return nil, s.fault(ctx, "list "+prefix, err)
	}
	s.reached()
	l.header = header
	return l, nil
}

// scan passes everything under a prefix at one revision to the function that begin returns, in parts, ordered by key. It starts again if
// the server compacts that revision before the end. Its only time limit is that data must keep arriving, so the size of the answer is
// unlimited.
func (s *Store) scan(ctx context.Context, prefix string, begin func() func([]*mvccpb.KeyValue)) (*pb.ResponseHeader, error) {
	for again := 1; ; again++ {
		header, err := s.stream(ctx, prefix, begin())
		if status.Code(err) == codes.Unimplemented {
			header, err = s.pages(ctx, prefix, begin())
		}
		if !errors.Is(err, rpctypes.ErrCompacted) || again == compactions {
			return header, err
		}
	}
}

// stream scans with one request, which servers support since etcd 3.7.
func (s *Store) stream(ctx context.Context, prefix string, take func([]*mvccpb.KeyValue)) (*pb.ResponseHeader, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(store.ErrClosed) })()
	ctx, stop := s.meter.Limit(ctx, s.config.Timeout)
	defer stop()
	stalled := time.AfterFunc(timeout*s.config.Timeout, func() { cancel(idletimeout.ErrSilent) })
	defer stalled.Stop()
	parts, err := s.client.GetStream(ctx, prefix, clientv3.WithPrefix())
	if err != nil {
		return nil, err
	}
	var header *pb.ResponseHeader
	for part := range parts { // an error is the last part
		stalled.Reset(timeout * s.config.Timeout)
		if err := part.Err(); err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = fmt.Errorf("%w: %w", cause, err)
			}
			return nil, err
		}
		if part.Header != nil {
			header = part.Header
		}
		take(part.Kvs)
	}
	if header == nil {
		return nil, status.Error(codes.Unavailable, "the list ended before its end")
	}
	return header, nil
}

// pages scans with several requests, all at the revision of the first.
func (s *Store) pages(ctx context.Context, prefix string, take func([]*mvccpb.KeyValue)) (*pb.ResponseHeader, error) {
	var header *pb.ResponseHeader
	from, end := prefix, clientv3.GetPrefixRangeEnd(prefix)
	if from == "" {
		from = "\x00"
	}
	for {
		ask := []clientv3.OpOption{clientv3.WithRange(end), clientv3.WithLimit(page)}
		if header != nil {
			ask = append(ask, clientv3.WithRev(header.Revision))
		}
		rctx, cancel := s.request(ctx)
		resp, err := s.client.Get(rctx, from, ask...)
		cancel()
		if err != nil {
			return nil, err
		}
		if header == nil {
			header = resp.Header
		}
		take(resp.Kvs)
		if !resp.More || len(resp.Kvs) == 0 {
			return header, nil
		}
		from = string(resp.Kvs[len(resp.Kvs)-1].Key) + "\x00"
	}
}
