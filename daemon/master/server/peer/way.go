package peer

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/trust"
)

// Way is how agents and other netmasters are reached.
type Way struct {
	HTTP   *http.Client // nil: http.DefaultClient
	Scheme string       // "": http
}

// dialLimit is how long a daemon may take to accept a connection.
const dialLimit = 2 * time.Second

// NewWay makes the Way of a netmaster: by TLS on which the host of each address proves to be who the catalog says that it is, or by plain HTTP
// where holder is nil. It goes where it is sent, and nowhere else.
func NewWay(holder *trust.Holder, known *catalog.Catalog) Way {
	dialer := &net.Dialer{Timeout: dialLimit}
	t := &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute, DialContext: dialer.DialContext, TLSHandshakeTimeout: dialLimit}
	w := Way{&http.Client{Transport: t}, "http"}
	if holder != nil {
		w.Scheme = "https"
		t.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			role, name := trust.Master, ""
			if label := agentAt(known, address); label != "" {
				role, name = trust.Agent, label
			}
			nc, err := holder.Dialer(dialer.DialContext, holder.Client(role, name))(ctx, network, address)
			return nc, holder.Refused(err)
		}
	}
	w.HTTP.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return w
}

// agentAt is the label of the host whose agent has an address "host:port", "" for none.
func agentAt(known *catalog.Catalog, address string) (label string) {
	known.View(func(v *catalog.View) {
		for _, h := range v.Hosts() {
			if h.Control.String() == address {
				label = h.Label
			}
		}
	})
	return label
}

// URL is the URL of a path at an address "host:port".
func (w Way) URL(address, path string) string { return w.scheme() + "://" + address + path }

// Straight is the way without redirections: who answers with one is not followed, for it is an agent, a netmaster, or someone who has taken the
// place of one.
func (w Way) Straight() Way {
	if w.HTTP == nil {
		w.HTTP = http.DefaultClient
	}
	out := *w.HTTP
	out.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return Way{&out, w.scheme()}
}

func (w Way) scheme() string {
	if w.Scheme == "" {
		return "http"
	}
	return w.Scheme
}
