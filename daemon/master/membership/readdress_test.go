// SPDX-License-Identifier: Apache-2.0

package membership_test

import (
	"context"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/trust"
)

var (
	agentH1  = trust.Identity{Role: trust.Agent, Name: "h1"}
	masterH1 = trust.Identity{Role: trust.Master, Name: "h1"}
)

// from is a context in which a request comes from an address.
func (s *stand) from(address string) context.Context {
	return commit.By(s.Context(), model.Actor{Address: address})
}

// moving is a cluster with host h1, which runs a netmaster and an agent, and h2.
func moving(t *testing.T) *stand {
	s := newStand(t)
	s.agentOf("h2", "192.0.2.12")
	s.admitted("h2", "m2", "192.0.2.12")
	q := s.wanted(s.token(model.JoinTokenRequest{Masters: true}), "h1", "h1", "192.0.2.11")
	q.Master = &model.MasterRequest{CertificateRequest: model.CertificateRequest{Name: "h1", Request: s.csr("h1", "192.0.2.11")}, PeerURL: "https://192.0.2.11:2380"}
	if got := s.refused(q, trust.Identity{}); got != "" {
		t.Fatal(got)
	}
	s.admitted("h1", "m1", "192.0.2.11")
	return s
}

// An address is accepted from the host that has it, by its own certificate, and from an operator.
func TestReaddressIsProved(t *testing.T) {
	s := moving(t)
	for name, row := range map[string]struct {
		q      model.ReaddressRequest
		proved trust.Identity
		from   string
		want   string
	}{
		"the host":                    {model.ReaddressRequest{Address: "192.0.2.21"}, agentH1, "192.0.2.21", ""},
		"its netmaster":               {model.ReaddressRequest{Address: "192.0.2.21"}, masterH1, "192.0.2.21", ""},
		"an operator, from elsewhere": {model.ReaddressRequest{Address: "192.0.2.21"}, admin, "198.51.100.1", ""},
		"nobody":                      {model.ReaddressRequest{Address: "192.0.2.21"}, trust.Identity{}, "192.0.2.21", "denied"},
		"a monitor":                   {model.ReaddressRequest{Address: "192.0.2.21"}, trust.Identity{Role: trust.Monitor, Name: "h1"}, "192.0.2.21", "denied"},
		"another host":                {model.ReaddressRequest{Address: "192.0.2.21"}, trust.Identity{Role: trust.Agent, Name: "h2"}, "192.0.2.21", "denied host"},
		"another netmaster":           {model.ReaddressRequest{Address: "192.0.2.21"}, trust.Identity{Role: trust.Master, Name: "h2"}, "192.0.2.21", "denied host"},
		"from another address":        {model.ReaddressRequest{Address: "192.0.2.21"}, agentH1, "192.0.2.11", "denied address"},
		"from nowhere":                {model.ReaddressRequest{Address: "192.0.2.21"}, agentH1, "", "denied address"},
		"another host's address":      {model.ReaddressRequest{Address: "192.0.2.12"}, agentH1, "192.0.2.12", "conflict address"},
		"another's, by an operator":   {model.ReaddressRequest{Address: "192.0.2.12"}, admin, "", "conflict address"},
		"another host's tunnel":       {model.ReaddressRequest{Address: "192.0.2.21", VTEP: "192.0.2.12"}, agentH1, "192.0.2.21", "conflict vtep"},
		"no address":                  {model.ReaddressRequest{}, agentH1, "192.0.2.21", "invalid address"},
		"loopback":                    {model.ReaddressRequest{Address: "127.0.0.1"}, agentH1, "127.0.0.1", "invalid address"},
		"a tunnel at no address":      {model.ReaddressRequest{Address: "192.0.2.21", VTEP: "0.0.0.0"}, agentH1, "192.0.2.21", "invalid vtep"},
		"a netmaster, by an agent":    {model.ReaddressRequest{Address: "192.0.2.21", Master: s.csr("192.0.2.21")}, agentH1, "192.0.2.21", "denied master"},
		"a member, by an agent":       {model.ReaddressRequest{Address: "192.0.2.21", PeerURL: "https://192.0.2.21:2380"}, agentH1, "192.0.2.21", "denied master"},
		"a member elsewhere":          {model.ReaddressRequest{Address: "192.0.2.21", PeerURL: "https://192.0.2.12:2380"}, masterH1, "192.0.2.21", "invalid peerURL"},
		"another's name":              {model.ReaddressRequest{Address: "192.0.2.21", Agent: s.csr("h2", "192.0.2.21")}, agentH1, "192.0.2.21", "denied agent"},
		"a third address":             {model.ReaddressRequest{Address: "192.0.2.21", Agent: s.csr("192.0.2.21", "192.0.2.31")}, agentH1, "192.0.2.21", "denied agent"},
		"no certificate of it left":   {model.ReaddressRequest{Address: "192.0.2.21", Only: true}, agentH1, "192.0.2.21", "not-ready only"},
	} {
		row.q.Host = "h1"
		_, _, err := s.Readdress(s.from(row.from), row.q, row.proved)
		if got := enginetest.Say(err); !strings.HasPrefix(got, row.want) || (got == "") != (row.want == "") {
			t.Errorf("%s: want %q, got %q", name, row.want, got)
		}
	}
	if n := len(s.serials("agent/h1")) + len(s.serials("master/h1")); n != 2 {
		t.Errorf("want the certificates of before, got %d", n)
	}
}

// A host has certificates for both addresses, then only for the new one; each request may be repeated.
func TestReaddress(t *testing.T) {
	s := moving(t)
	ctx := s.from("192.0.2.21")
	was := append(s.serials("agent/h1"), s.serials("master/h1")...)
	call := func(q model.ReaddressRequest) model.ReaddressAnswer {
		t.Helper()
		q.Host, q.Address = "h1", "192.0.2.21"
		out, _, err := s.Readdress(ctx, q, masterH1)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, hosts := range [][]string{{"h1", "192.0.2.11", "192.0.2.21", "127.0.0.1"}, {"h1", "192.0.2.21"}} {
		a, m := call(model.ReaddressRequest{Agent: s.csr(hosts...)}), call(model.ReaddressRequest{Master: s.csr(hosts...)})
		for _, text := range []string{a.Agent, m.Master} {
			all, err := trust.ParseCertificates([]byte(text))
			if err != nil || len(all) != 1 || len(all[0].IPAddresses) != len(hosts)-1 {
				t.Errorf("%v: want one certificate for these, got %v, %v", hosts, all, err)
			}
		}
	}
	for range 2 {
		if out := call(model.ReaddressRequest{PeerURL: "https://192.0.2.21:2380"}); out.Members["h1"] != "https://192.0.2.21:2380" {
			t.Errorf("want the member moved, got %v", out.Members)
		}
	}
	out := call(model.ReaddressRequest{Only: true})
	for _, serial := range was {
		if !strings.Contains(strings.Join(out.Revoked, " "), serial) {
			t.Errorf("want %s revoked, got %v", serial, out.Revoked)
		}
	}
	if len(out.Revoked) != 4 || len(s.serials("agent/h1")) != 1 || len(s.serials("master/h1")) != 1 {
		t.Errorf("want four revoked and one of each left, got %v", out.Revoked)
	}
	if again := call(model.ReaddressRequest{Only: true}); len(again.Revoked) != 0 {
		t.Errorf("want nothing more to do, got %v", again.Revoked)
	}
	// The previous address is free for another host then.
	if _, _, err := s.Readdress(s.from("192.0.2.31"), model.ReaddressRequest{Host: "h2", Address: "192.0.2.31", VTEP: "192.0.2.21"}, trust.Identity{Role: trust.Agent, Name: "h2"}); !strings.HasPrefix(enginetest.Say(err), "conflict vtep") {
		t.Errorf("want the new address to be h1's, got %v", err)
	}
}
