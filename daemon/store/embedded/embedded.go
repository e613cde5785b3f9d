// SPDX-License-Identifier: Apache-2.0

// Package embedded runs an etcd server inside the process and returns a store in it, so that demonstrations and small installations need no
// separate store. Three processes can form one cluster.
package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc"
	"go.etcd.io/etcd/server/v3/proxy/grpcproxy/adapter"
	"go.uber.org/zap/zapcore"
	"google.golang.org/grpc"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/etcd"
	"github.com/contiv/contiv/daemon/store/member"
	"github.com/contiv/contiv/trust"
)

// Windows of HTTP/2 flow control for what clients send, in bytes: above the largest request. See package etcd for why
// they are fixed.
const (
	streamWindow = 2 << 20
	connWindow   = 8 << 20
)

// defaultQuota leaves room for ten minutes of history at some ten thousand changes a second, which etcd's own 2 GiB do not.
const defaultQuota = 8 << 30

// Config describes one member of the cluster.
type Config struct {
	Dir  string // directory of its data, created if absent; required
	Name string // its name in the cluster; default "default"
	// ClientURL and PeerURL are the addresses at which the member listens and that it announces to the others, such as
	// "http://10.0.0.1:2379". "" is a free port on loopback, which suits a single member only.
	ClientURL string
	PeerURL   string
	// InitialCluster has the peer URL of every member at the first start of a cluster of several. nil: this member only. Once Dir holds
	// data, the data decides.
	InitialCluster map[string]string
	// Existing reports whether the member joins a running cluster that already expects it.
	Existing bool
	// Alone makes this member, with the data in Dir, a cluster of its own and removes the other members. It is for one start after most
	// members are lost for good. Changes that only the lost members had are lost.
	Alone bool
	// NewStore permits the member to start with an empty store, or with the data in Dir, although the host's cluster had a store that
	// Dir does not hold.
	NewStore bool
	// Restored is set by Permit: Dir holds the data of another member than the host had, and NewStore permitted it.
	Restored bool
	// Mark is a file on another file system than Dir that records how far the member has been: a directory behind it is an old copy.
	// "": no mark is kept.
	Mark string
	// Quota bounds the size of the database, in bytes: above it, the member refuses what needs space. 0: 8 GiB, the maximum that etcd
	// recommends.
	Quota int64
	// Trust authenticates the member to other members and to clients, of which only netmasters are accepted; the URLs are https. nil:
	// plain HTTP, open to everyone.
	Trust *trust.Holder
	// Log receives the server's warnings and errors. nil: they are discarded.
	Log *slog.Logger
	// known is set by Permit: the members that the directory names.
	known []member.Peer
}

// Server is a running member. It is also a store.Store: a client of this member, which forwards to the cluster's leader what it cannot
// answer itself. Reads and transactions call the server directly; watches and leases use its socket, like those of any client, so that they
// end when the member has no leader.
type Server struct {
	*etcd.Store
	etcd      *embed.Etcd
	clientURL string
	stop      sync.Once
	end       context.CancelFunc // ends the background tasks
	marker    *marker
	failed    chan error
}

// Start starts a member and waits until it serves, which for a cluster needs a majority of its members, or until ctx
// ends. The caller closes it.
func Start(ctx context.Context, c Config) (*Server, error) {
	server, err := start(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("embedded etcd in %s: %w", c.Dir, err)
	}
	return server, nil
}

func start(ctx context.Context, c Config) (*Server, error) {
	hook := newCutHook()
	conf, e, err := launch(func() (*embed.Config, error) { return configure(c, hook) }, c.ClientURL == "" || c.PeerURL == "")
	if err != nil {
		return nil, err
	}
	own := member.Mark{Dir: conf.Dir, Member: member.ID(uint64(e.Server.MemberID()))}
	failed := func(err error) (*Server, error) {
		e.Server.Stop()
		e.Close()
		return nil, c.ended(context.WithoutCancel(ctx), err)
	}
	select {
	case <-e.Server.ReadyNotify():
	case found := <-hook.found:
		abandon(e)
		return nil, c.recordLoss(own, found)
	case err := <-e.Err():
		return failed(err)
	case <-e.Server.StopNotify():
		return failed(errStopped)
	case <-ctx.Done():
		return failed(fmt.Errorf("no majority of %s in time: %w", conf.InitialCluster, ctx.Err()))
	}
	// Members of a new cluster agree on its version in its first moments. A member that joins before that is refused as incompatible.
	waits := func() bool { return e.Server.IsLearner() || e.Server.ClusterVersion() == nil }
	if err := admitted(ctx, waits); err != nil {
		return failed(fmt.Errorf("the members of %s have not admitted this one, or not agreed on a version, in time: %w", conf.InitialCluster, err))
	}
	if err := (member.Marker{Name: conf.Name, Member: own.Member}).Write(conf.Dir); err != nil {
		return failed(fmt.Errorf("record the member beside its directory: %w", err))
	}
	clientURL := c.scheme() + "://" + e.Clients[0].Addr().String()
	local := adapter.KvServerToKvClient(v3rpc.NewQuotaKVServer(e.Server))
	s, err := etcd.Open(etcd.Config{Endpoints: []string{clientURL}, Local: local, TLS: c.clientTLS(), Log: c.Log})
	if err != nil {
		return failed(err)
	}
	server := &Server{Store: s, etcd: e, clientURL: clientURL, marker: c.marked(own, position(e.Server)), failed: make(chan error, 1)}
	server.begin(&c, own, hook)
	return server, nil
}

// launch starts a server. If its configuration chose a free port, another process may take the port before the server listens there; then
// launch configures the server again, at most four times.
func launch(configure func() (*embed.Config, error), chosen bool) (*embed.Config, *embed.Etcd, error) {
	for try := 1; ; try++ {
		conf, err := configure()
		if err != nil {
			return nil, nil, err
		}
		e, err := embed.StartEtcd(conf)
		if err == nil {
			return conf, e, nil
		}
		if !chosen || try == 5 || !errors.Is(err, syscall.EADDRINUSE) {
			return nil, nil, err
		}
	}
}

func configure(c Config, panics zapcore.CheckWriteHook) (*embed.Config, error) {
	if c.Dir == "" {
		return nil, errors.New("no directory is given")
	}
	if c.Name == "" {
		c.Name = "default"
	}
	client, err := listenURL(c.ClientURL, c.scheme())
	if err != nil {
		return nil, fmt.Errorf("client URL: %w", err)
	}
	peer, err := listenURL(c.PeerURL, c.scheme())
	if err != nil {
		return nil, fmt.Errorf("peer URL: %w", err)
	}
	conf := embed.NewConfig()
	conf.Name, conf.Dir = c.Name, filepath.Clean(c.Dir)
	conf.ListenClientUrls, conf.AdvertiseClientUrls = []url.URL{*client}, []url.URL{*client}
	conf.ListenPeerUrls, conf.AdvertisePeerUrls = []url.URL{*peer}, []url.URL{*peer}
	conf.InitialCluster = initialCluster(c, peer)
	if c.Trust != nil {
		if err := c.Trust.Dir().PrepareRevoked(); err != nil {
			return nil, fmt.Errorf("prepare the list of revoked certificates: %w", err)
		}
		conf.ClientTLSInfo, conf.PeerTLSInfo = c.tlsInfo(), c.tlsInfo()
	}
	if c.Existing && !c.Alone {
		conf.ClusterState = embed.ClusterStateFlagExisting
	}
	conf.ForceNewCluster, conf.MaxLearners = c.Alone, maxLearners
	conf.InitialClusterToken = "contiv"
	// Members are in one network. Half of etcd's defaults, which suit wider networks, still leaves ten heartbeats.
	conf.TickMs, conf.ElectionMs = 50, 500
	conf.AutoCompactionMode, conf.AutoCompactionRetention = embed.CompactorModePeriodic, "10m"
	conf.GRPCAdditionalServerOptions = []grpc.ServerOption{grpc.StaticStreamWindowSize(streamWindow), grpc.StaticConnWindowSize(connWindow)}
	conf.QuotaBackendBytes = cmp.Or(c.Quota, defaultQuota)
	conf.EnableGRPCGateway = false // JSON over HTTP/1, which a page in a browser could send
	conf.CORS = map[string]struct{}{noOrigin: {}}
	conf.ZapLoggerBuilder = embed.NewZapLoggerBuilder(bridge(c.Log, panics))
	return conf, nil
}

// noOrigin is the only origin whose pages may read what the member serves over HTTP/1; no page has it (RFC 2606). An empty list would
// permit every origin.
const noOrigin = "http://none.invalid"

func initialCluster(c Config, own *url.URL) string {
	if len(c.InitialCluster) == 0 {
		return c.Name + "=" + own.String()
	}
	var list []string
	for name, u := range c.InitialCluster {
		list = append(list, name+"="+u)
	}
	slices.Sort(list)
	return strings.Join(list, ",")
}

// listenURL parses a URL to listen at; "" is a free port on loopback.
func listenURL(text, scheme string) (*url.URL, error) {
	if text == "" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		text = scheme + "://" + l.Addr().String()
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	if _, _, err := net.SplitHostPort(u.Host); err != nil || u.Scheme != scheme {
		return nil, fmt.Errorf("got %q, want %s://ADDRESS:PORT", text, scheme)
	}
	return u, nil
}

// ClientURL returns the URL at which the member serves clients.
func (s *Server) ClientURL() string { return s.clientURL }

// Failed yields the error after which the running member no longer serves, ErrLost among others. Then the process has to end: Close does not
// stop such a member within its timeout.
func (s *Server) Failed() <-chan error { return s.failed }

// String returns the name of the store.
func (s *Server) String() string { return "embedded " + s.Store.String() }

// How long Close waits for the server to write its data, and then for its clients to disconnect.
const (
	stopTimeout = 10 * time.Second
	farewell    = 200 * time.Millisecond
)

// Close closes the client, transfers the leadership of the etcd cluster to another member and stops the server. When it returns, the member
// no longer listens and its data is written. Watches of clients, which would delay an orderly stop of gRPC by seconds, end a moment later
// or with the process. Calling Close again is harmless.
func (s *Server) Close() error {
	s.end()
	err := s.Store.Close()
	s.stop.Do(func() {
		for _, l := range s.etcd.Clients {
			_ = l.Close() // etcd itself closes its listeners last
		}
		for _, p := range s.etcd.Peers {
			_ = p.Listener.Close()
		}
		closed, stopped := make(chan struct{}), make(chan struct{})
		go func() { s.etcd.Close(); close(closed) }()
		go func() { s.etcd.Server.Stop(); close(stopped) }()
		select {
		case <-stopped:
			s.marker.stopped(position(s.etcd.Server))
		case <-time.After(stopTimeout):
			err = errors.Join(err, fmt.Errorf("embedded etcd did not stop within %s", stopTimeout))
			return
		}
		select {
		case <-closed:
		case <-time.After(farewell):
		}
	})
	return err
}

var _ store.Store = (*Server)(nil)
