// SPDX-License-Identifier: Apache-2.0

package model

// CaptureRequest requests the packets of one or two endpoints' interfaces: GET /api/v1/capture of netmaster with the fields as its query.
// The stream ends by itself.
type CaptureRequest struct {
	Of      string // the container or group, as in WhyRequest
	Peer    string // only packets to and from this end; "" is all
	Both    bool   // also capture at Peer, if it is an endpoint, and on Host if given; one of both suffices
	Lines   bool   // lines of text, instead of pcapng with an interface for each end; the query has it as Accept: text/plain
	Tenant  string
	Network string
	Host    string // only if the endpoint is on this host; "" is any
	Filter  string // further conditions, as in CaptureFilter
	Packets int    // of each end, 1 to CapturePackets; 0 is that
	Seconds int    // 1 to CaptureSeconds; 0 is a minute
}

// Limits of a capture.
const (
	CapturePackets = 100000
	CaptureSeconds = 600
	CaptureBytes   = 64 << 20
)

// CaptureFilter describes the syntax of a packet filter.
const CaptureFilter = `conditions joined by "and": tcp, udp, icmp, icmp6, arp, ip, ip6, [src|dst] host ADDRESS, [src|dst] port NUMBER; "not" turns one around`

// CaptureHeader is the header of a capture with its capture points, one for each end.
const CaptureHeader = "X-Contiv-Capture"

// Media types of a capture.
const (
	CaptureFile  = "application/x-pcapng"
	CaptureLines = "text/plain"
)
