// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"context"
	"sync/atomic"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// progressInterval is how often a client asks for the progress of its watches even while they deliver changes: a watch without changes must
// not fall behind the server's compaction.
const progressInterval = time.Minute

// watches is the one stream with all watches of a client. When it breaks, all of them end: etcd's client would open another by itself, and
// could not report whether that is still the same store.
type watches struct {
	clientv3.Watcher
	received atomic.Int64 // time of the last message, in nanoseconds
	sent     atomic.Int64 // time of the server's last progress report for all watches
	asked    atomic.Int64 // time of the last request for one
	opened   time.Time    // the origin of these times
}

func newWatches(client *clientv3.Client) *watches {
	w := &watches{opened: time.Now()}
	w.Watcher = clientv3.NewWatchFromWatchClient(&watchClient{pb.NewWatchClient(client.ActiveConnection()), w}, client)
	return w
}

func (w *watches) now() int64 { return int64(time.Since(w.opened)) }

// silent returns how long nothing has arrived, for a watch or in answer to ask.
func (w *watches) silent() time.Duration { return time.Duration(w.now() - w.received.Load()) }

// ask requests the progress of all watches of the client, if there was no request and no message for limit, or no progress report for a
// long time.
func (w *watches) ask(ctx context.Context, limit time.Duration) {
	now := w.now()
	if w.silent() < limit && now-w.sent.Load() < int64(progressInterval) {
		return
	}
	if asked := w.asked.Load(); asked != 0 && now-asked < int64(limit) || !w.asked.CompareAndSwap(asked, now) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_ = w.RequestProgress(ctx) // only an answer, which ends the silence, matters
}

// watchClient opens streams that do not reopen themselves.
type watchClient struct {
	pb.WatchClient
	watches *watches
}

func (c *watchClient) Watch(ctx context.Context, o ...grpc.CallOption) (pb.Watch_WatchClient, error) {
	stream, err := c.WatchClient.Watch(ctx, o...)
	if err != nil {
		return nil, err
	}
	c.watches.received.Store(c.watches.now())
	return &watchStream{stream, c.watches}, nil
}

type watchStream struct {
	pb.Watch_WatchClient
	watches *watches
}

func (s *watchStream) Recv() (*pb.WatchResponse, error) {
	r, err := s.Watch_WatchClient.Recv()
	if err != nil {
		// For an error of any other code etcd's client opens a new stream.
		return nil, status.Error(codes.Aborted, err.Error())
	}
	now := s.watches.now()
	s.watches.received.Store(now)
	if r.WatchId == clientv3.InvalidWatchID && !r.Created {
		s.watches.sent.Store(now)
	}
	return r, nil
}
