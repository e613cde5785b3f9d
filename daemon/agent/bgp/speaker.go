// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/osrg/gobgp/v4/api"
	"github.com/osrg/gobgp/v4/pkg/apiutil"
	"github.com/osrg/gobgp/v4/pkg/packet/bgp"
	"github.com/osrg/gobgp/v4/pkg/server"

	"github.com/contiv/contiv/daemon/record"
)

// Times of a session, in seconds. A silent peer is dropped after holdTime; while this host's agent is away, peers that support graceful
// restart (RFC 4724) keep its routes for restartTime.
const (
	holdTime    = 9
	keepAlive   = 3
	retryTime   = 2
	restartTime = 120
	// deferTime is how long a restarted speaker waits for the routes of its peers before it announces its own to those that are connected.
	deferTime = 5
	usualPort = 179
)

// Speaker is a BGP speaker inside this process: only its sessions can be reached from outside. It supports IPv4 unicast, and IPv6 unicast
// if it has an address of IPv6 (RFC 4760). Its methods are safe for concurrent use, and block for a moment at most.
type Speaker struct {
	config   Config
	server   *server.BgpServer
	cancel   context.CancelFunc
	ends     ends
	reasons  reasons
	attempts *attempts // Retry's

	change    sync.Mutex // held while a prefix is announced or withdrawn
	announced map[netip.Prefix]struct{}
	changes   changes
}

// Start listens at the own address, which must exist, and starts sessions with all peers. changed is called when a session may have
// changed; it must not block. Routes are read with Routes: the library's own stream of best paths reads them while a session that ends
// marks them stale, without a lock.
func Start(c Config, log *slog.Logger, changed func()) (*Speaker, error) {
	for i := range c.Peers {
		if err := signs(&c.Peers[i], trySignature); err != nil {
			return nil, err
		}
	}
	level := new(slog.LevelVar)
	level.Set(slog.LevelWarn)
	s := &Speaker{config: c, announced: map[netip.Prefix]struct{}{}, ends: ends{received: map[netip.Addr][]bgp.Family{}}, reasons: reasons{last: map[netip.Addr]string{}},
		attempts: newAttempts(openTime), server: server.NewBgpServer(server.LoggerOption(log, level))}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	go s.server.Serve()
	port := int32(c.Port)
	if port == 0 {
		port = usualPort
	}
	own := c.Address.Addr().String()
	listen := []string{own}
	if c.Address6.IsValid() {
		listen = append(listen, c.Address6.Addr().String())
	}
	err := s.server.StartBgp(ctx, &api.StartBgpRequest{Global: &api.Global{Asn: c.AS, RouterId: own, ListenPort: port, ListenAddresses: listen}})
	if err != nil {
		err = fmt.Errorf("start BGP at %s, port %d (is the port taken?): %w", strings.Join(listen, " and "), port, err)
		return nil, errors.Join(err, s.Stop())
	}
	if !c.Transit {
		if err := s.ownOnly(ctx); err != nil {
			return nil, errors.Join(err, s.Stop())
		}
	}
	err = s.server.WatchEvent(ctx, server.WatchEventMessageCallbacks{
		OnPeerUpdate: func(e *apiutil.WatchEventMessage_PeerEvent, _ time.Time) {
			state := &e.Peer.State
			if state.SessionState == bgp.BGP_FSM_ESTABLISHED {
				s.reasons.forget(e.Peer.Conf.NeighborAddress)
				s.affirm(ctx, func(err error) { log.Warn("BGP", "error", err) })
			} else {
				s.ends.forget(e.Peer.Conf.NeighborAddress)
				s.reasons.add(e.Peer.Conf.NeighborAddress, state.DisconnectReason, state.DisconnectMessage)
			}
			changed()
		},
		OnPathEor: func(end *apiutil.Path, _ time.Time) {
			s.ends.add(end.PeerAddress, end.Family)
			changed()
		},
	}, server.WatchPeer(), server.WatchEor(false))
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

// ownOnly keeps the routes of peers from being announced to others: routers would take this host for a way to one another.
func (s *Speaker) ownOnly(ctx context.Context) error {
	own := &api.Policy{Name: "own", Statements: []*api.Statement{{Name: "own",
		Conditions: &api.Conditions{RouteType: api.Conditions_ROUTE_TYPE_LOCAL},
		Actions:    &api.Actions{RouteAction: api.RouteAction_ROUTE_ACTION_ACCEPT}}}}
	err := s.server.AddPolicy(ctx, &api.AddPolicyRequest{Policy: own})
	if err == nil {
		err = s.server.AddPolicyAssignment(ctx, &api.AddPolicyAssignmentRequest{Assignment: &api.PolicyAssignment{Name: "global",
			Direction: api.PolicyDirection_POLICY_DIRECTION_EXPORT, Policies: []*api.Policy{{Name: own.Name}},
			DefaultAction: api.RouteAction_ROUTE_ACTION_REJECT}})
	}
	if err != nil {
		return fmt.Errorf("set BGP policy: %w", err)
	}
	return nil
}

func (s *Speaker) addPeer(ctx context.Context, p *Peer) error {
	port := uint32(p.Port)
	if port == 0 {
		port = usualPort
	}
	own := s.config.Address
	if p.Address.Is6() {
		own = s.config.Address6
	}
	peer := &api.Peer{
		// Hosts of a cluster often share an AS: the routes of one of them reach the others with their own AS in the path.
		Conf:      &api.PeerConf{NeighborAddress: p.Address.String(), PeerAsn: p.AS, AllowOwnAsn: 1, AuthPassword: p.Password},
		Transport: &api.Transport{LocalAddress: own.Addr().String(), RemotePort: port},
		Timers: &api.Timers{Config: &api.TimersConfig{ConnectRetry: retryTime, HoldTime: holdTime, KeepaliveInterval: keepAlive,
			IdleHoldTimeAfterReset: 1}},
		GracefulRestart: &api.GracefulRestart{Enabled: true, RestartTime: restartTime, DeferralTime: deferTime,
			LocalRestarting: s.config.Restarting},
	}
	if s.config.Hops > 0 {
		peer.TtlSecurity = &api.TtlSecurity{Enabled: true, TtlMin: uint32(256 - s.config.Hops)}
	}
	for _, f := range s.config.families() {
		family := &api.Family{Afi: api.Family_Afi(f.Afi()), Safi: api.Family_Safi(f.Safi())}
		peer.AfiSafis = append(peer.AfiSafis, &api.AfiSafi{
			Config:            &api.AfiSafiConfig{Family: family, Enabled: true},
			MpGracefulRestart: &api.MpGracefulRestart{Config: &api.MpGracefulRestartConfig{Enabled: true}},
			PrefixLimits:      &api.PrefixLimit{Family: family, MaxPrefixes: uint32(cmp.Or(s.config.Prefixes, record.MaxPrefixes))},
		})
	}
	if err := s.server.AddPeer(ctx, &api.AddPeerRequest{Peer: peer}); err != nil {
		return fmt.Errorf("add BGP neighbour %s: %w", p.Address, err)
	}
	return nil
}

// Stop ends all sessions without a notification, so that peers that support graceful restart keep the routes for a while.
func (s *Speaker) Stop() error {
	defer s.cancel()
	return s.server.StopBgp(context.Background(), &api.StopBgpRequest{AllowGracefulRestart: true})
}

// families are the address families of the exchanged routes.
func (c *Config) families() []bgp.Family {
	if c.Address6.IsValid() {
		return []bgp.Family{bgp.RF_IPv4_UC, bgp.RF_IPv6_UC}
	}
	return []bgp.Family{bgp.RF_IPv4_UC}
}

// path is the path of a prefix to the own address of its family.
func (s *Speaker) path(p netip.Prefix) (*apiutil.Path, error) {
	nlri, err := bgp.NewIPAddrPrefix(p)
	if err != nil {
		return nil, err
	}
	out := &apiutil.Path{Family: bgp.RF_IPv4_UC, Nlri: nlri}
	var next bgp.PathAttributeInterface
	if p.Addr().Is4() {
		next, err = bgp.NewPathAttributeNextHop(s.config.Address.Addr())
	} else {
		if !s.config.Address6.IsValid() {
			return nil, errors.New("there is no own address of IPv6 to be the next hop")
		}
		out.Family = bgp.RF_IPv6_UC
		next, err = bgp.NewPathAttributeMpReachNLRI(out.Family, []bgp.PathNLRI{{NLRI: nlri}}, s.config.Address6.Addr())
	}
	if err != nil {
		return nil, err
	}
	out.Attrs = []bgp.PathAttributeInterface{bgp.NewPathAttributeOrigin(bgp.BGP_ORIGIN_ATTR_TYPE_IGP), next}
	return out, nil
}

// Announce announces a prefix by the own address of its family, which must exist.
func (s *Speaker) Announce(p netip.Prefix) error {
	s.change.Lock()
	defer s.change.Unlock()
	s.announced[p] = struct{}{}
	s.changes.add(p, time.Now())
	return s.put(p)
}

// Withdraw withdraws a prefix.
func (s *Speaker) Withdraw(p netip.Prefix) error {
	s.change.Lock()
	defer s.change.Unlock()
	delete(s.announced, p)
	s.changes.add(p, time.Now())
	return s.remove(p)
}

func (s *Speaker) put(p netip.Prefix) error {
	path, err := s.path(p)
	if err == nil {
		_, err = s.server.AddPath(apiutil.AddPathRequest{Paths: []*apiutil.Path{path}})
	}
	if err != nil {
		return fmt.Errorf("announce %s: %w", p, err)
	}
	return nil
}

func (s *Speaker) remove(p netip.Prefix) error {
	path, err := s.path(p)
	if err == nil {
		err = s.server.DeletePath(apiutil.DeletePathRequest{Paths: []*apiutil.Path{path}})
	}
	if err != nil {
		return fmt.Errorf("withdraw %s: %w", p, err)
	}
	return nil
}
