package model

// CaptureRequest asks for the packets of an endpoint's interface, as pcapng: GET /api/v1/capture of netmaster with the fields
// as its query. The stream ends by itself.
type CaptureRequest struct {
	Of      string // whose: container or group, as WhyRequest names them
	Peer    string // packets to and from this end alone; "" is all
	Tenant  string
	Network string
	Host    string // only when the endpoint is on this host; "" is any
	Filter  string // further conditions, "tcp and port 80"
	Packets int    // 1 to CapturePackets; 0 is that
	Seconds int    // 1 to CaptureSeconds; 0 is a minute
}

// Limits of a capture.
const (
	CapturePackets = 100000
	CaptureSeconds = 600
	CaptureBytes   = 64 << 20
)
