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

// progressInterval is how often a client asks how far its watches have come, though they tell of changes: one that sees none must
// not fall behind what the server remembers.
const progressInterval = time.Minute

// watches is the one stream by which a client receives what all its watches are told. When it breaks, all of them break: etcd's
// client would open another by itself, and could not report whether that is still the same store.
type watches struct {
	clientv3.Watcher
	received atomic.Int64 // when anything came last, in nanoseconds
	sent     atomic.Int64 // when the server has said last how far all have come
	asked    atomic.Int64 // when it was asked last
	opened   time.Time    // of the clock of these
}

func newWatches(client *clientv3.Client) *watches {
	w := &watches{opened: time.Now()}
	w.Watcher = clientv3.NewWatchFromWatchClient(&watchClient{pb.NewWatchClient(client.ActiveConnection()), w}, client)
	return w
}

func (w *watches) now() int64 { return int64(time.Since(w.opened)) }

// silent is for how long nothing has come, be it for a watch or in answer to ask.
func (w *watches) silent() time.Duration { return time.Duration(w.now() - w.received.Load()) }

// ask has the server say how far all watches of the client have come, if no one has asked since limit ago and nothing was heard
// for as long, or if it has not said so for a long time.
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
	_ = w.RequestProgress(ctx) // an answer, which ends the silence, or none is all that counts
}

// watchClient opens streams that are not opened again.
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
		// An error of any other code has etcd's client open a new stream.
		return nil, status.Error(codes.Aborted, err.Error())
	}
	now := s.watches.now()
	s.watches.received.Store(now)
	if r.WatchId == clientv3.InvalidWatchID && !r.Created {
		s.watches.sent.Store(now)
	}
	return r, nil
}
