// Package embedded runs an etcd server inside the process and gives a store in it: what a demonstration and a small
// installation need instead of a separate store. Three processes can form one cluster.
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
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc"
	"go.etcd.io/etcd/server/v3/proxy/grpcproxy/adapter"
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
	Dir  string // where its data lives; made when absent. Required
	Name string // its name in the cluster; "" is "default"
	// ClientURL and PeerURL are where the member listens and what it tells the others, "http://10.0.0.1:2379".
	// "" is a free port on loopback, which suits a single member only.
	ClientURL string
	PeerURL   string
	// InitialCluster names every member's peer URL at the first start of a cluster of several. nil: this member alone.
	// Once Dir holds data it is what the data says that counts.
	InitialCluster map[string]string
	// Existing says that the member joins a cluster that runs already and has been told of it.
	Existing bool
	// Alone makes this member, with the data that Dir holds, a cluster of its own: the others are forgotten. It is for when
	// most of them are lost for good, and for one start only. What the lost ones alone knew is gone.
	Alone bool
	// NewStore: where the host's cluster had a store, and the folder does not have it, the member begins an empty one, or takes the data that the folder has.
	NewStore bool
	// Restored is of what Permit returns: the folder has the data of another member than the host had, and was taken, since NewStore says so.
	Restored bool
	// Mark is a file, on another file system than Dir, that says how far the member has been: a folder that is behind it is a copy of before. "": there is none.
	Mark string
	// Quota is how large the database may grow before the member refuses what needs space, in bytes. 0: 8 GiB, the most that etcd
	// recommends.
	Quota int64
	// Trust proves the member to others and to clients, of which netmasters alone are let in; URLs are https then. nil: plain HTTP, to whoever asks.
	Trust *trust.Holder
	// Log gets the server's warnings and errors. nil: none.
	Log *slog.Logger
}

// Server is a running member. It is a store.Store too: a client of this member, which passes on to the cluster's leader
// what it cannot answer itself. Reads and transactions go straight to the server; watches and leases go through its socket, as
// those of any client, so that they end when the member has no leader.
type Server struct {
	*etcd.Store
	etcd      *embed.Etcd
	clientURL string
	stop      sync.Once
	end       context.CancelFunc // of what it does beside
	marker    *marker
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
	conf, err := configure(c)
	if err != nil {
		return nil, err
	}
	e, err := embed.StartEtcd(conf)
	if err != nil {
		return nil, err
	}
	select {
	case <-e.Server.ReadyNotify():
	case err := <-e.Err():
		e.Close()
		return nil, err
	case <-ctx.Done():
		e.Server.Stop()
		e.Close()
		return nil, fmt.Errorf("no majority of %s in time: %w", conf.InitialCluster, ctx.Err())
	}
	// Members of a new cluster agree on its version in its first moments; another one that joins before that is refused as incompatible.
	waits := func() bool { return e.Server.IsLearner() || e.Server.ClusterVersion() == nil }
	if err := admitted(ctx, waits); err != nil {
		e.Server.Stop()
		e.Close()
		return nil, fmt.Errorf("the members of %s have not admitted this one, or not agreed on a version, in time: %w", conf.InitialCluster, err)
	}
	own := member.Mark{Dir: conf.Dir, Member: member.ID(uint64(e.Server.MemberID()))}
	if err := (member.Marker{Name: conf.Name, Member: own.Member}).Write(conf.Dir); err != nil {
		e.Server.Stop()
		e.Close()
		return nil, fmt.Errorf("note the member beside its folder: %w", err)
	}
	clientURL := c.scheme() + "://" + e.Clients[0].Addr().String()
	local := adapter.KvServerToKvClient(v3rpc.NewQuotaKVServer(e.Server))
	s, err := etcd.Open(etcd.Config{Endpoints: []string{clientURL}, Local: local, TLS: c.clientTLS(), Log: c.Log})
	if err != nil {
		e.Close()
		return nil, err
	}
	return began(&Server{Store: s, etcd: e, clientURL: clientURL, marker: c.marked(own, position(e.Server))}), nil
}

func configure(c Config) (*embed.Config, error) {
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
	// Members sit in one network: half of etcd's defaults, which are made for wider ones, still leave ten heartbeats.
	conf.TickMs, conf.ElectionMs = 50, 500
	conf.AutoCompactionMode, conf.AutoCompactionRetention = embed.CompactorModePeriodic, "10m"
	conf.GRPCAdditionalServerOptions = []grpc.ServerOption{grpc.StaticStreamWindowSize(streamWindow), grpc.StaticConnWindowSize(connWindow)}
	conf.QuotaBackendBytes = cmp.Or(c.Quota, defaultQuota)
	conf.EnableGRPCGateway = false // JSON over HTTP/1, which a page in a browser can send
	conf.CORS = map[string]struct{}{noOrigin: {}}
	conf.ZapLoggerBuilder = embed.NewZapLoggerBuilder(bridge(c.Log))
	return conf, nil
}

// noOrigin is the one origin whose pages may read what the member serves over HTTP/1: none has it (RFC 2606). An empty list would mean
// every origin.
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
		return nil, fmt.Errorf("%q: %s://ADDRESS:PORT is wanted", text, scheme)
	}
	return u, nil
}

// ClientURL is where the member serves clients, for the etcd endpoints of others.
func (s *Server) ClientURL() string { return s.clientURL }

// Failed yields the error that ends the member while it runs, a full disk for example.
func (s *Server) Failed() <-chan error { return s.etcd.Err() }

// String names the store.
func (s *Server) String() string { return "embedded " + s.Store.String() }

// How long Close waits for the server to write everything down, and then for its clients to go.
const (
	stopTimeout = 10 * time.Second
	farewell    = 200 * time.Millisecond
)

// Close closes the client, gives the leadership of the etcd cluster to another member and stops the server.
// When it returns no one listens any more and the data is written down. Watches of clients, which would keep an orderly
// stop of gRPC waiting for seconds, end a moment later or with the process. It may be called again.
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
