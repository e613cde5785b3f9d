// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"net/netip"
	"strings"
	"sync"

	"github.com/osrg/gobgp/v4/api"
)

// reasons records why the last session of a peer, or the last attempt at one, has ended.
type reasons struct {
	mu   sync.Mutex
	last map[netip.Addr]string
}

// add records a reason; an event that does not concern the peer keeps the one before.
func (r *reasons) add(peer netip.Addr, why api.PeerState_DisconnectReason, text string) {
	said := reason(why, text)
	if said == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last[peer] = said
}

// forget removes a peer with a session.
func (r *reasons) forget(peer netip.Addr) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.last, peer)
}

func (r *reasons) of(peer netip.Addr) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last[peer]
}

// reason explains the library's reason; "" if it is none.
func reason(why api.PeerState_DisconnectReason, text string) string {
	switch why {
	case api.PeerState_DISCONNECT_REASON_HOLD_TIMER_EXPIRED:
		return "the hold timer ended without a message from the peer"
	case api.PeerState_DISCONNECT_REASON_NOTIFICATION_SENT:
		return "this host ended the session: " + notification(text)
	case api.PeerState_DISCONNECT_REASON_NOTIFICATION_RECEIVED:
		return "it ended the session: " + notification(text)
	case api.PeerState_DISCONNECT_REASON_HARD_RESET:
		return "it ended the session: hard reset"
	case api.PeerState_DISCONNECT_REASON_READ_FAILED, api.PeerState_DISCONNECT_REASON_WRITE_FAILED, api.PeerState_DISCONNECT_REASON_GRACEFUL_RESTART:
		return "it closed the connection, or the connection failed"
	case api.PeerState_DISCONNECT_REASON_RESTART_TIMER_EXPIRED:
		return "it did not come back within its restart time"
	case api.PeerState_DISCONNECT_REASON_BAD_PEER_AS:
		return "it says another AS than neighbor-as"
	case api.PeerState_DISCONNECT_REASON_INVALID_MSG:
		return "it sent what is no BGP"
	}
	return ""
}

// notification is the error code of a NOTIFICATION (RFC 4271, section 4.5) as text, which the library appends to its own.
func notification(text string) string {
	_, code, _ := strings.Cut(text, " ")
	return code
}
