package model

// CaptureRequest asks for the packets of an endpoint's interface, or of two: GET /api/v1/capture of netmaster with the fields as its
// query. The stream ends by itself.
type CaptureRequest struct {
	Of      string // whose: container or group, as WhyRequest names them
	Peer    string // packets to and from this end alone; "" is all
	Both    bool   // at Peer too, when it is an endpoint, and on Host if that is said; one of both is enough
	Lines   bool   // lines of text, instead of pcapng with an interface for each end; the query has it as Accept: text/plain
	Tenant  string
	Network string
	Host    string // only when the endpoint is on this host; "" is any
	Filter  string // further conditions, as CaptureFilter says
	Packets int    // of each end, 1 to CapturePackets; 0 is that
	Seconds int    // 1 to CaptureSeconds; 0 is a minute
}

// Limits of a capture.
const (
	CapturePackets = 100000
	CaptureSeconds = 600
	CaptureBytes   = 64 << 20
)

// CaptureFilter says in words what a filter of packets is.
const CaptureFilter = `conditions joined by "and": tcp, udp, icmp, icmp6, arp, ip, ip6, [src|dst] host ADDRESS, [src|dst] port NUMBER; "not" turns one around`

// CaptureHeader is the header of a capture that says where packets are taken, once for each end.
const CaptureHeader = "X-Contiv-Capture"

// Media types of a capture.
const (
	CaptureFile  = "application/x-pcapng"
	CaptureLines = "text/plain"
)
