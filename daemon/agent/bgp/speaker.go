package bgp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/osrg/gobgp/v4/api"
	"github.com/osrg/gobgp/v4/pkg/apiutil"
	"github.com/osrg/gobgp/v4/pkg/packet/bgp"
	"github.com/osrg/gobgp/v4/pkg/server"
)

// Times of a session, in seconds. A silent peer is given up after holdTime; while this host's agent is away, peers that
// know graceful restart (RFC 4724) keep its routes for restartTime.
const (
	holdTime    = 9
	keepAlive   = 3
	retryTime   = 2
	restartTime = 120
	usualPort   = 179
)

// Speaker is a BGP speaker inside this process: nothing but its sessions can be reached from outside. It speaks IPv4
// unicast. Its methods are safe for concurrent use, and block for a moment at most.
type Speaker struct {
	config Config
	server *server.BgpServer
	cancel context.CancelFunc
}

// Start listens at the own address, which must be there, and begins sessions with all peers. changed is called when a
// session may have changed; it must not block. Routes are looked up with Routes: the library's own stream of best paths
// reads them while a session that ends marks them stale, without a lock.
func Start(c Config, log *slog.Logger, changed func()) (*Speaker, error) {
	level := new(slog.LevelVar)
	level.Set(slog.LevelWarn)
	s := &Speaker{config: c, server: server.NewBgpServer(server.LoggerOption(log, level))}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	go s.server.Serve()
	port := int32(c.Port)
	if port == 0 {
		port = usualPort
	}
	own := c.Address.Addr().String()
	err := s.server.StartBgp(ctx, &api.StartBgpRequest{Global: &api.Global{Asn: c.AS, RouterId: own, ListenPort: port, ListenAddresses: []string{own}}})
	if err != nil {
		err = fmt.Errorf("start BGP at %s, port %d (is the port taken?): %w", own, port, err)
		return nil, errors.Join(err, s.Stop())
	}
	err = s.server.WatchEvent(ctx, server.WatchEventMessageCallbacks{
		OnPeerUpdate: func(*apiutil.WatchEventMessage_PeerEvent, time.Time) { changed() },
	}, server.WatchPeer())
	for i := range c.Peers {
		if err == nil {
			err = s.addPeer(ctx, &c.Peers[i])
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

func (s *Speaker) addPeer(ctx context.Context, p *Peer) error {
	port := uint32(p.Port)
	if port == 0 {
		port = usualPort
	}
	peer := &api.Peer{
		// Hosts of a cluster often share an AS: what one of them announces comes to the others with their own AS in its
		// path.
		Conf:      &api.PeerConf{NeighborAddress: p.Address.String(), PeerAsn: p.AS, AllowOwnAsn: 1},
		Transport: &api.Transport{LocalAddress: s.config.Address.Addr().String(), RemotePort: port},
		Timers: &api.Timers{Config: &api.TimersConfig{ConnectRetry: retryTime, HoldTime: holdTime, KeepaliveInterval: keepAlive,
			IdleHoldTimeAfterReset: 1}},
		GracefulRestart: &api.GracefulRestart{Enabled: true, RestartTime: restartTime},
		AfiSafis: []*api.AfiSafi{{
			Config:            &api.AfiSafiConfig{Family: &api.Family{Afi: api.Family_AFI_IP, Safi: api.Family_SAFI_UNICAST}, Enabled: true},
			MpGracefulRestart: &api.MpGracefulRestart{Config: &api.MpGracefulRestartConfig{Enabled: true}},
		}},
	}
	if err := s.server.AddPeer(ctx, &api.AddPeerRequest{Peer: peer}); err != nil {
		return fmt.Errorf("add BGP neighbour %s: %w", p.Address, err)
	}
	return nil
}

// Stop ends all sessions without a word, so that peers that know graceful restart keep the routes for a while.
func (s *Speaker) Stop() error {
	defer s.cancel()
	return s.server.StopBgp(context.Background(), &api.StopBgpRequest{AllowGracefulRestart: true})
}

func (s *Speaker) path(p netip.Prefix) (*apiutil.Path, error) {
	nlri, err := bgp.NewIPAddrPrefix(p)
	if err != nil {
		return nil, err
	}
	next, err := bgp.NewPathAttributeNextHop(s.config.Address.Addr())
	if err != nil {
		return nil, err
	}
	return &apiutil.Path{Family: bgp.RF_IPv4_UC, Nlri: nlri,
		Attrs: []bgp.PathAttributeInterface{bgp.NewPathAttributeOrigin(bgp.BGP_ORIGIN_ATTR_TYPE_IGP), next}}, nil
}

// Announce says that a prefix, of IPv4, is reached by the own address.
func (s *Speaker) Announce(p netip.Prefix) error {
	path, err := s.path(p)
	if err == nil {
		_, err = s.server.AddPath(apiutil.AddPathRequest{Paths: []*apiutil.Path{path}})
	}
	if err != nil {
		return fmt.Errorf("announce %s: %w", p, err)
	}
	return nil
}

// Withdraw takes Announce back.
func (s *Speaker) Withdraw(p netip.Prefix) error {
	path, err := s.path(p)
	if err == nil {
		err = s.server.DeletePath(apiutil.DeletePathRequest{Paths: []*apiutil.Path{path}})
	}
	if err != nil {
		return fmt.Errorf("withdraw %s: %w", p, err)
	}
	return nil
}

// Routes returns the best routes that peers announce: next hops by prefix. It ends with a call that the server answers in
// turn, so that what was read here is read before anything that happens to the routes later.
func (s *Speaker) Routes() (map[netip.Prefix]netip.Addr, error) {
	out := map[netip.Prefix]netip.Addr{}
	err := s.server.ListPath(apiutil.ListPathRequest{TableType: api.TableType_TABLE_TYPE_GLOBAL, Family: bgp.RF_IPv4_UC}, func(nlri bgp.NLRI, paths []*apiutil.Path) {
		prefix, err := netip.ParsePrefix(nlri.String())
		if err != nil || len(paths) == 0 {
			return
		}
		next := nextHop(paths[0])
		if !next.IsValid() || next.IsUnspecified() || next == s.config.Address.Addr() {
			return
		}
		out[prefix.Masked()] = next
	})
	if err == nil {
		_, err = s.server.GetBgp(context.Background(), &api.GetBgpRequest{})
	}
	if err != nil {
		return nil, fmt.Errorf("list BGP routes: %w", err)
	}
	return out, nil
}

// nextHop is where a path leads, the zero Addr when it does not say.
func nextHop(p *apiutil.Path) netip.Addr {
	for _, a := range p.Attrs {
		if n, ok := a.(*bgp.PathAttributeNextHop); ok {
			return n.Value
		}
	}
	return netip.Addr{}
}

// PeerStatus is a session in the shape that the original shows it in.
type PeerStatus struct {
	Conf struct {
		NeighborAddress string
		PeerAS          uint32
	}
	State struct {
		AdminState   string // "up"
		SessionState string // "established", or how far it is on its way
		Received     uint64 // prefixes
		Reason       string `json:",omitempty"` // why the last session ended
	}
}

// Peers lists the sessions.
func (s *Speaker) Peers() ([]PeerStatus, error) {
	var out []PeerStatus
	err := s.server.ListPeer(context.Background(), &api.ListPeerRequest{}, func(p *api.Peer) {
		var st PeerStatus
		st.Conf.NeighborAddress, st.Conf.PeerAS = p.Conf.NeighborAddress, p.Conf.PeerAsn
		st.State.AdminState = strings.ToLower(strings.TrimPrefix(p.State.AdminState.String(), "ADMIN_STATE_"))
		st.State.SessionState = strings.ToLower(strings.TrimPrefix(p.State.SessionState.String(), "SESSION_STATE_"))
		st.State.Reason = p.State.DisconnectMessage
		for _, f := range p.AfiSafis {
			if f.State != nil {
				st.State.Received += f.State.Received
			}
		}
		out = append(out, st)
	})
	if err != nil {
		return nil, fmt.Errorf("list BGP neighbours: %w", err)
	}
	slices.SortFunc(out, func(a, b PeerStatus) int { return strings.Compare(a.Conf.NeighborAddress, b.Conf.NeighborAddress) })
	return out, nil
}
