// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/contiv/contiv/daemon/store"
)

// askTimeout bounds the request to one server for its state.
const askTimeout = time.Second

var _ store.Observer = (*Store)(nil)

// Members implements store.Observer. Any server that answers lists the others, so that they are known without a majority too.
func (s *Store) Members(ctx context.Context) ([]store.Member, error) {
	rctx, cancel := s.request(ctx)
	defer cancel()
	list, err := s.client.MemberList(rctx, clientv3.WithSerializable())
	if err != nil {
		return nil, s.fault(ctx, "list the store's members", err)
	}
	out := make([]store.Member, len(list.Members))
	var wait sync.WaitGroup
	for i, m := range list.Members {
		out[i] = store.Member{Name: m.Name, Address: strings.Join(m.ClientURLs, ",")}
		wait.Go(func() { s.member(rctx, m.ID, m.ClientURLs, &out[i]) })
	}
	wait.Wait()
	slices.SortFunc(out, func(a, b store.Member) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// member asks one server; for a server that has not started, only its address is known.
func (s *Store) member(ctx context.Context, id uint64, urls []string, out *store.Member) {
	if len(urls) == 0 {
		out.Err = store.ErrUnavailable
		return
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	start := time.Now()
	status, err := s.client.Status(ctx, urls[0])
	if out.Latency = time.Since(start); err != nil {
		out.Err = err
		return
	}
	out.Leader, out.Version, out.Bytes, out.InUse, out.Quota = status.Leader == id, status.Version, status.DbSize, status.DbSizeInUse, status.DbSizeQuota
	out.Full = slices.ContainsFunc(status.Errors, func(e string) bool { return strings.Contains(e, pb.AlarmType_NOSPACE.String()) })
}

var _ store.Compacter = (*Store)(nil)

// Compact implements store.Compacter.
func (s *Store) Compact(ctx context.Context, rev store.Revision) (already bool, err error) {
	rctx, cancel := s.request(ctx)
	defer cancel()
	_, err = s.client.Compact(rctx, int64(rev))
	if errors.Is(err, rpctypes.ErrCompacted) {
		return true, nil
	}
	return false, s.fault(ctx, "compact the history", err)
}

// Leases implements store.Observer. etcd counts whole seconds.
func (s *Store) Leases(ctx context.Context, prefix string) ([]store.KeyLease, error) {
	var leased []*mvccpb.KeyValue
	_, err := s.scan(ctx, prefix, func() func([]*mvccpb.KeyValue) {
		leased = nil
		return func(kvs []*mvccpb.KeyValue) {
			for _, kv := range kvs {
				if clientv3.LeaseID(kv.Lease) != clientv3.NoLease {
					leased = append(leased, kv)
				}
			}
		}
	})
	if err != nil {
		return nil, s.fault(ctx, "list keys under leases", err)
	}
	rctx, cancel := s.request(ctx)
	defer cancel()
	left := map[clientv3.LeaseID]*clientv3.LeaseTimeToLiveResponse{}
	var out []store.KeyLease
	for _, kv := range leased {
		id := clientv3.LeaseID(kv.Lease)
		if left[id] == nil {
			if left[id], err = s.client.TimeToLive(rctx, id); err != nil {
				return nil, s.fault(ctx, "ask for the time left of a lease", err)
			}
		}
		if t := left[id]; t.TTL >= 0 { // -1: it has ended meanwhile
			out = append(out, store.KeyLease{Key: string(kv.Key), Granted: time.Duration(t.GrantedTTL) * time.Second, Left: time.Duration(t.TTL) * time.Second})
		}
	}
	return out, nil
}
