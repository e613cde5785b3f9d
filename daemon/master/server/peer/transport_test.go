// SPDX-License-Identifier: Apache-2.0

package peer_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// holder has a certificate of an authority.
func holder(t *testing.T, a *trust.Authority, who trust.Identity) *trust.Holder {
	t.Helper()
	d := trust.Dir(t.TempDir())
	ca, _, err := a.PEM()
	if err == nil {
		err = d.SaveAuthority(ca, nil)
	}
	if err == nil {
		err = d.Certify(a, who, time.Now(), "127.0.0.1")
	}
	if err != nil {
		t.Fatal(err)
	}
	h, err := trust.Open(d, who.Role)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// A host that says that its agent is where a netmaster listens turns no question away from that one, and is not asked there for itself.
func TestClaimedAddress(t *testing.T) {
	a, err := trust.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	leader := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`"the leader"`)) }))
	leader.TLS = holder(t, a, trust.Identity{Role: trust.Master, Name: "m2"}).Server()
	leader.StartTLS()
	defer leader.Close()
	at := netip.MustParseAddrPort(leader.Listener.Addr().String())
	w := enginetest.Start(t, enginetest.Options{})
	w.Admitted(t, record.Host{Label: "evil", Machine: "m", VTEP: netip.MustParseAddr("192.0.2.66"), Port: 4789, Control: at})
	peers := peer.New(w.Catalog, peer.NewTransport(holder(t, a, trust.Identity{Role: trust.Master, Name: "m1"}), w.Catalog))
	var said string
	for range 2 { // the second time over the connection of the first
		if err := peers.Get(t.Context(), at.String(), "/x", &said); err != nil || said != "the leader" {
			t.Errorf("the netmaster: %q, %v", said, err)
		}
		if err := peers.Ask(t.Context(), at.String(), "/x", &said); err == nil {
			t.Error("a netmaster is taken for the agent of host evil")
		}
	}
	if err := peers.Ask(t.Context(), "127.0.0.1:1", "/x", &said); err == nil {
		t.Error("an agent is asked where no host is")
	}
}

// A netmaster that refuses the certificate of this one is known to do so, with the identity: under TLS 1.3 it does so only after the handshake.
func TestRefusedByOther(t *testing.T) {
	a, err := trust.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	own := holder(t, a, trust.Identity{Role: trust.Master, Name: "m1"})
	other := holder(t, a, trust.Identity{Role: trust.Master, Name: "m2"})
	other.Revoke([]string{trust.Serial(own.Certificate())})
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.TLS = other.Server()
	s.StartTLS()
	defer s.Close()
	var said string
	err = peer.New(nil, peer.NewTransport(own, nil)).Get(t.Context(), s.Listener.Addr().String(), "/x", &said)
	if !peer.Untrusted(err) || !strings.Contains(err.Error(), "refuses our certificate of spiffe://contiv/master/m1") {
		t.Errorf("want the refused identity, got %v", err)
	}
	if peer.Untrusted(nil) || peer.Untrusted(io.EOF) {
		t.Error("the end of a connection is no refusal")
	}
}
