// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/trust"
)

// Only netmasters with valid certificates are clients: a revoked one is refused, and the member itself and others are still
// accepted.
func TestRevokedIsRefused(t *testing.T) {
	a, err := trust.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	holder := func(name string) *trust.Holder {
		dir := trust.Dir(t.TempDir())
		certificate, _, err := a.PEM()
		if err == nil {
			err = dir.SaveAuthority(certificate, nil)
		}
		if err == nil {
			err = dir.Certify(a, trust.Identity{Role: trust.Master, Name: name}, time.Now(), "127.0.0.1")
		}
		if err != nil {
			t.Fatal(err)
		}
		h, err := trust.Open(dir, trust.Master)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	own, other, third := holder("m1"), holder("m2"), holder("m3")
	secure := func(url string) string { return strings.Replace(url, "http:", "https:", 1) }
	s := begin(t, Config{Dir: t.TempDir(), ClientURL: secure(freeURL(t)), PeerURL: secure(freeURL(t)), Trust: own})
	asks := func(who *trust.Holder) error {
		c := &http.Client{Transport: &http.Transport{TLSClientConfig: who.Client(trust.Master, ""), DisableKeepAlives: true}, Timeout: 5 * time.Second}
		answer, err := c.Get(s.ClientURL() + "/version")
		if err == nil {
			_ = answer.Body.Close()
		}
		return err
	}
	for _, h := range []*trust.Holder{own, other, third} {
		if err := asks(h); err != nil {
			t.Fatalf("%s: %v", h.Identity(), err)
		}
	}
	if err := own.Dir().SaveRevoked([]string{trust.Serial(other.Certificate())}); err != nil {
		t.Fatal(err)
	}
	if err := asks(other); err == nil {
		t.Error("want the revoked one refused")
	}
	for _, h := range []*trust.Holder{own, third} {
		if err := asks(h); err != nil {
			t.Errorf("%s: %v", h.Identity(), err)
		}
	}
	put(t, s, "a", "1")
	peers := map[string]string{"m1": s.etcd.Server.Cluster().Members()[0].PeerURLs[0], "m3": secure(freeURL(t))}
	for _, row := range []struct {
		who  *trust.Holder
		want string
	}{{third, "m3 is not a member of the store"}, {nil, "no other member of the store answers (Get"}} {
		c := Config{Dir: t.TempDir(), Name: "m3", PeerURL: peers["m3"], InitialCluster: peers, Existing: true, Trust: row.who}
		if _, err := c.Permit(t.Context(), true); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("want %q, got %v", row.want, err)
		}
	}
}
