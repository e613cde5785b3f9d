package checkup

import (
	"context"
	"net/netip"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/examine"
	"github.com/contiv/contiv/ofnet/link"
)

// WayOut looks whether the host can pass on what it is to route for containers.
type WayOut struct {
	Host   string
	Routes func() (families []netip.Addr) // an address of the private subnet for each family that containers leave by; none: the host routes nothing
	Onward func(src, dst netip.Addr) (link.Onward, error)
}

// Check looks every ten seconds.
func (w *WayOut) Check() examine.Check {
	return examine.Check{Name: "way out", Every: 10 * time.Second, Look: w.look}
}

func (w *WayOut) look(context.Context) (out []model.Finding) {
	for _, src := range w.Routes() {
		outside := netip.AddrFrom4([4]byte{192, 0, 2, 1}) // of RFC 5737 and RFC 3849: no one's, so that the default route is what leads there
		if src.Is6() {
			outside = netip.MustParseAddr("2001:db8::1")
		}
		on, err := w.Onward(src, outside)
		f := model.Finding{Object: "host/" + w.Host, Next: "netctl node ls"}
		switch {
		case err != nil:
			f.Code, f.Severity, f.Evidence, f.Remedy = "wayout-unknown", model.SeverityUnknown, "the host's routes were not read: "+err.Error(), "look at the agent's log"
		case on.Lost != "":
			f.Code, f.Severity = "wayout-missing", model.SeverityWarning
			f.Evidence, f.Remedy = "containers reach nothing outside by this host, which "+on.Lost, "give the host a default route, unless containers are to stay inside; or "+on.Try
		default:
			continue
		}
		out = append(out, f)
	}
	return out
}
