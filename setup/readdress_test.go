// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/trust"
)

var oldAddress, newAddress = netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2")

// netmasterAt is a fake netmaster of a host that changes its address. It answers at both addresses, and has the cluster's record of
// the host.
type netmasterAt struct {
	t         *testing.T
	host      *Host
	authority *trust.Authority
	port      string
	peer      string
	started   []string
	refuses   *model.Error
	hosts     [][]string // of requested certificates
	only      int
	from      []string
}

// Start records the daemon.
func (m *netmasterAt) Start(_ context.Context, daemon string) (string, error) {
	m.started = append(m.started, daemon)
	return "", nil
}

// Stop does nothing.
func (*netmasterAt) Stop(context.Context, string) (string, error) { return "", nil }

// Log returns an empty log.
func (*netmasterAt) Log(context.Context, string, time.Time) (string, error) { return "", nil }

// ServeHTTP answers as netmaster does to a host that changes its address.
func (m *netmasterAt) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if q.URL.Path == "/api/v1/nodes/self" {
		_ = json.NewEncoder(w).Encode(model.Node{Ready: true, Address: m.host.Settings(Netmaster)[masterVariable]})
		return
	}
	if m.refuses != nil {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusConflict)
		_ = json.NewEncoder(w).Encode(m.refuses.Problem())
		return
	}
	var request model.ReaddressRequest
	if err := json.NewDecoder(q.Body).Decode(&request); err != nil || q.URL.Path != "/api/v1/readdress" {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	from, _, _ := net.SplitHostPort(q.RemoteAddr)
	m.from = append(m.from, from)
	out := model.ReaddressAnswer{Netmasters: []string{net.JoinHostPort("127.0.0.1", m.port), "192.0.2.9:9999"}}
	if request.Master != "" {
		r, err := trust.ParseRequest([]byte(request.Master))
		if err != nil {
			m.t.Error(err)
			return
		}
		m.hosts = append(m.hosts, slices.Sorted(slices.Values(r.Hosts())))
		c, err := m.authority.Issue(r, trust.Identity{Role: trust.Master, Name: "h1"}, time.Now(), trust.Lifetime)
		if err != nil {
			m.t.Error(err)
			return
		}
		out.Master = string(trust.CertificatePEM(c))
	}
	if request.PeerURL != "" {
		m.peer = request.PeerURL
	}
	if request.Only {
		m.only++
		out.Revoked = []string{"1"}
	}
	out.Members = map[string]string{"h1": m.peer, "h2": "https://192.0.2.9:2380"}
	_ = json.NewEncoder(w).Encode(out)
}

// hostThatMoves returns a host with a netmaster at 127.0.0.1.
func hostThatMoves(t *testing.T) *netmasterAt {
	t.Helper()
	m := &netmasterAt{t: t, host: &Host{Root: t.TempDir(), Bin: "/usr/bin"}, peer: "https://127.0.0.1:2380"}
	var err error
	if m.authority, err = trust.NewAuthority(time.Now()); err != nil {
		t.Fatal(err)
	}
	dir := m.host.Trust()
	certificate, _, err := m.authority.PEM()
	if err == nil {
		err = dir.SaveAuthority(certificate, nil)
	}
	if err == nil {
		err = dir.Certify(m.authority, trust.Identity{Role: trust.Master, Name: "h1"}, time.Now(), "h1", "127.0.0.1")
	}
	if err != nil {
		t.Fatal(err)
	}
	held, err := trust.Open(dir, trust.Master)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(m)
	_ = server.Listener.Close()
	if server.Listener, err = net.Listen("tcp", "0.0.0.0:0"); err != nil {
		t.Fatal(err)
	}
	server.TLS = held.Server()
	inner := server.TLS.GetConfigForClient
	server.TLS.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		if err := held.Reload(); err != nil { // as netmaster does within seconds
			return nil, err
		}
		return inner(hello)
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	_, m.port, _ = net.SplitHostPort(server.Listener.Addr().String())
	w := wish()
	w.Label, w.Address = "h1", "127.0.0.1"
	env := m.host.masterEnv(&w, model.StoreSettings{Kind: "embedded", Members: map[string]string{"h1": "https://127.0.0.1:2380", "h2": "https://192.0.2.9:2380"}})
	env[masterVariable] = net.JoinHostPort("127.0.0.1", m.port)
	if _, err := m.host.writeSettings(Netmaster, func() Env { return env }).Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *netmasterAt) move() *Readdress {
	return &Readdress{Host: m.host, Label: "h1", Address: newAddress, Starter: m, Machine: func() ([]netip.Addr, error) { return []netip.Addr{oldAddress, newAddress}, nil }}
}

// complete checks that all files of the host have its new address.
func (m *netmasterAt) complete(t *testing.T) {
	t.Helper()
	env := m.host.Settings(Netmaster)
	want := Env{masterVariable: "127.0.0.2:" + m.port, clientVariable: "https://127.0.0.2:2379", peerVariable: "https://127.0.0.2:2380", membersVariable: "h1=https://127.0.0.2:2380,h2=https://192.0.2.9:2380"}
	for name, value := range want {
		if env[name] != value {
			t.Errorf("%s: got %s, want %s", name, env[name], value)
		}
	}
	held, err := trust.Open(m.host.Trust(), trust.Master)
	if err != nil {
		t.Fatal(err)
	}
	if all := held.Certificate().IPAddresses; len(all) != 1 || all[0].String() != "127.0.0.2" {
		t.Errorf("want a certificate only for the new address, got %v", all)
	}
	if left, err := m.host.moving(); err != nil || left.Address.IsValid() || m.peer != "https://127.0.0.2:2380" || m.only == 0 {
		t.Errorf("want it complete, got %v, %v, peer %s, %d revocations", left, err, m.peer, m.only)
	}
	for _, from := range m.from {
		if from != "127.0.0.2" {
			t.Errorf("want requests from the new address, got one from %s", from)
		}
	}
}

// A change of address that is interrupted after any of its steps continues with the same command.
func TestReaddress(t *testing.T) {
	n := len(hostThatMoves(t).move().Steps())
	for ends := 1; ends <= n; ends++ {
		m := hostThatMoves(t)
		for _, upTo := range []int{ends, n} {
			if err := Run(t.Context(), m.move().Steps()[:upTo], func(string) {}); err != nil {
				t.Fatalf("after %d steps: %v", ends, err)
			}
		}
		m.complete(t)
		if len(m.hosts) != 2 || !slices.Equal(m.hosts[0], []string{"127.0.0.1", "127.0.0.2", "h1"}) || !slices.Equal(m.hosts[1], []string{"127.0.0.2", "h1"}) {
			t.Errorf("after %d steps: want a certificate for both addresses, then one for the new one, got %v", ends, m.hosts)
		}
		if !slices.Contains(m.started, Netmaster) || slices.Contains(m.started, Netplugin) {
			t.Errorf("after %d steps: want netmaster started, got %v", ends, m.started)
		}
	}
}

// An incomplete change can get another destination: the addresses of both count as previous ones.
func TestReaddressElsewhere(t *testing.T) {
	m := hostThatMoves(t)
	if err := Run(t.Context(), m.move().Steps()[:7], func(string) {}); err != nil {
		t.Fatal(err)
	}
	back := m.move()
	back.Address = oldAddress
	if err := Run(t.Context(), back.Steps(), func(string) {}); err != nil {
		t.Fatal(err)
	}
	if env := m.host.Settings(Netmaster); env[peerVariable] != "https://127.0.0.1:2380" || m.peer != "https://127.0.0.1:2380" {
		t.Errorf("want it back, got %s and %s", env[peerVariable], m.peer)
	}
}

// A wrong request is refused before anything changes.
func TestReaddressRefuses(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*netmasterAt, *Readdress)
		want   string
	}{
		"an address that the machine does not have": {func(_ *netmasterAt, r *Readdress) { r.Address = netip.MustParseAddr("192.0.2.77") }, "address: no interface of this machine has 192.0.2.77, which has 127.0.0.1, 127.0.0.2"},
		"another host's": {func(m *netmasterAt, _ *Readdress) {
			m.refuses = model.Errorf(model.CodeConflict, "address", "127.0.0.2 is host h2's").Try("give the host an address of its own")
		}, "address of its own"},
		"a setting of the operator's": {func(m *netmasterAt, _ *Readdress) {
			if _, err := write(m.host.EnvFile(Netmaster), []byte(peerVariable+"=https://127.0.0.1:2380\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, peerVariable + "=https://127.0.0.1:2380 has the previous address"},
		"a configuration file of the operator's": {func(m *netmasterAt, _ *Readdress) {
			*m.host = Host{Root: m.host.Root, Bin: t.TempDir()}
			script := "#!/bin/sh\necho '[{\"key\":\"embedded-peer-url\",\"value\":\"https://127.0.0.1:2380\",\"origin\":{\"layer\":\"file\",\"file\":\"netmaster.yaml\",\"line\":2}}]'\n"
			if _, err := write(m.host.ConfigFile(Netmaster), []byte("# one\nembedded-peer-url: https://127.0.0.1:2380\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(m.host.Bin, Netmaster), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
		}, "netmaster.yaml:2: embedded-peer-url: https://127.0.0.1:2380 has the previous address 127.0.0.1"},
		"a tunnel address that the machine does not have": {func(m *netmasterAt, r *Readdress) {
			w := wish()
			if _, err := m.host.writeSettings(Netplugin, func() Env { return m.host.agentEnv(&w, nil) }).Do(t.Context()); err != nil {
				t.Fatal(err)
			}
			r.VTEP = netip.MustParseAddr("192.0.2.78")
		}, "vtep: no interface of this machine has the tunnel address 192.0.2.78"},
		"no netmaster answers": {func(m *netmasterAt, _ *Readdress) {
			env := m.host.Settings(Netmaster)
			env[masterVariable] = "127.0.0.1:1"
			if _, err := m.host.writeSettings(Netmaster, func() Env { return env }).Do(t.Context()); err != nil {
				t.Fatal(err)
			}
		}, "ip address add 127.0.0.1/32 dev lo"},
		"a damaged file": {func(m *netmasterAt, _ *Readdress) {
			if _, err := write(m.host.moveFile(), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "remove the file"},
	} {
		m := hostThatMoves(t)
		r := m.move()
		row.change(m, r)
		if name == "no netmaster answers" {
			r.timeout = time.Millisecond
		}
		before := m.host.Settings(Netmaster)
		err := Run(t.Context(), r.Steps(), func(string) {})
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: want %q, got %v", name, row.want, err)
		}
		if after := m.host.Settings(Netmaster); after[peerVariable] != before[peerVariable] || len(m.hosts)+len(m.started) > 0 {
			t.Errorf("%s: want nothing changed, got %v, %v, %v", name, after, m.hosts, m.started)
		}
	}
}

// A preview lists the steps, and changes nothing.
func TestReaddressPreview(t *testing.T) {
	m := hostThatMoves(t)
	output := ""
	later, err := m.move().Preview(t.Context(), func(line string) { output += line })
	if err != nil || output != "from 127.0.0.1 to 127.0.0.2" || len(later) != len(m.move().Steps())-unchanging {
		t.Errorf("want what is changed and the steps, got %q, %v, %v", output, later, err)
	}
	if left, err := m.host.moving(); err != nil || left.Address.IsValid() || len(m.hosts) > 0 {
		t.Errorf("want nothing changed, got %v, %v, %v", left, err, m.hosts)
	}
}

// The settings of an agent get the new addresses, and those of netmasters.
func TestReaddressAgent(t *testing.T) {
	m := hostThatMoves(t)
	for _, row := range []struct{ vtep, wish, want string }{
		{"127.0.0.1", "", "127.0.0.2"}, {"127.0.0.3", "", "127.0.0.3"}, {"127.0.0.1", "127.0.0.3", "127.0.0.3"},
	} {
		w := wish()
		w.Address, w.VTEP = "127.0.0.1", row.vtep
		if _, err := m.host.writeSettings(Netplugin, func() Env { return m.host.agentEnv(&w, []string{"127.0.0.1:" + m.port}) }).Do(t.Context()); err != nil {
			t.Fatal(err)
		}
		r := m.move()
		r.VTEP, _ = netip.ParseAddr(row.wish)
		r.Machine = func() ([]netip.Addr, error) {
			return []netip.Addr{oldAddress, newAddress, netip.MustParseAddr("127.0.0.3")}, nil
		}
		if err := Run(t.Context(), r.Steps()[:unchanging], func(string) {}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.settings(t.Context(), Netplugin); err != nil {
			t.Fatal(err)
		}
		env := m.host.Settings(Netplugin)
		if env[controlVariable] != "127.0.0.2" || env[vtepVariable] != row.want || env[mastersVariable] != "127.0.0.2:"+m.port+",192.0.2.9:9999" {
			t.Errorf("%+v: got %s, %s, %s", row, env[controlVariable], env[vtepVariable], env[mastersVariable])
		}
	}
}
