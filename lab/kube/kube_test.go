// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net"
	"net/netip"
	"strings"
	"testing"
)

func addresses(texts ...string) (out []netip.Addr) {
	for _, text := range texts {
		out = append(out, netip.MustParseAddr(text))
	}
	return out
}

// kubeconfig is what clients read of such a file.
type kubeconfig struct {
	Clusters []struct {
		Cluster struct {
			Server string
			CA     []byte `json:"certificate-authority-data"`
		}
	}
	Users []struct {
		User struct {
			Cert []byte `json:"client-certificate-data"`
			Key  []byte `json:"client-key-data"`
		}
	}
}

// A user's file makes its holder trust the API server at its names and addresses, and identifies the holder by name and groups.
func TestKeys(t *testing.T) {
	c := Cluster{Name: "x", Plane: netip.MustParseAddr("10.254.7.1")}
	a, err := NewAuthority("x")
	if err != nil {
		t.Fatal(err)
	}
	plane, err := c.PlaneFiles(a)
	if err != nil {
		t.Fatal(err)
	}
	node, err := c.NodeFiles(a, Node{Name: "h2", Addresses: addresses("10.254.7.2"), Cgroup: "lab/h2"})
	if err != nil {
		t.Fatal(err)
	}
	server, err := tls.X509KeyPair(plane["apiserver.crt"], plane["apiserver.key"])
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(plane["ca.crt"])
	for _, tt := range []struct {
		text          []byte
		called        string
		name, groups  string
		serverRefuses bool
	}{
		{plane["admin.conf"], "10.254.7.1", "admin", "system:masters", false},
		{node[NetmasterConf], "kubernetes.default.svc", "netmaster", "contiv", false},
		{plane["scheduler.conf"], "10.96.0.1", "system:kube-scheduler", "", false},
		{node["kubelet.conf"], "fd00:96::1", "system:node:h2", "system:nodes", false},
		{node["proxy.conf"], "elsewhere", "system:kube-proxy", "", true},
	} {
		var k kubeconfig
		if err := json.Unmarshal(tt.text, &k); err != nil {
			t.Fatal(err)
		}
		if got := k.Clusters[0].Cluster.Server; got != "https://10.254.7.1:6443" {
			t.Errorf("%s: server %s", tt.name, got)
		}
		known := x509.NewCertPool()
		known.AppendCertsFromPEM(k.Clusters[0].Cluster.CA)
		pair, err := tls.X509KeyPair(k.Users[0].User.Cert, k.Users[0].User.Key)
		if err != nil {
			t.Fatal(err)
		}
		near, far := net.Pipe()
		asked := tls.Server(far, &tls.Config{Certificates: []tls.Certificate{server}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: trusted})
		done := make(chan error, 1)
		go func() { done <- asked.Handshake(); _ = far.Close() }()
		err = tls.Client(near, &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: known, ServerName: tt.called}).Handshake()
		_ = near.Close()
		if err = firstOf(err, <-done); (err != nil) != tt.serverRefuses {
			t.Errorf("%s calls %s: %v", tt.name, tt.called, err)
		}
		if err != nil {
			continue
		}
		subject := asked.ConnectionState().PeerCertificates[0].Subject
		if got := strings.Join(subject.Organization, ","); subject.CommonName != tt.name || got != tt.groups {
			t.Errorf("want %s of %q, got %s of %q", tt.name, tt.groups, subject.CommonName, got)
		}
	}
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Every part has a command line on one kind of host, and an address of its health.
func TestParts(t *testing.T) {
	c := Cluster{Name: "x", Plane: netip.MustParseAddr("10.254.7.1")}
	n := Node{Name: "h2", Addresses: addresses("10.254.7.2", "fd00::2")}
	for _, part := range []string{Etcd, APIServer, Controllers, Scheduler, Kubelet, Proxy} {
		plane, node := c.PlaneArgs(part), n.NodeArgs(part)
		if (plane == nil) == (node == nil) {
			t.Errorf("%s: want one of %q, %q", part, plane, node)
		}
		if Health(part, c.Plane) == "" {
			t.Errorf("%s: no place to ask", part)
		}
	}
	if got := strings.Join(n.NodeArgs(Kubelet), " "); !strings.Contains(got, "--node-ip 10.254.7.2,fd00::2") {
		t.Errorf("kubelet: %s", got)
	}
	if Health("master", c.Plane) != "" || n.NodeArgs("master") != nil || c.PlaneArgs("master") != nil {
		t.Error("master is none of Kubernetes' parts")
	}
}

func TestNetworkConfig(t *testing.T) {
	for _, tt := range []struct{ network, want, err string }{
		{NetworkContiv, `"type": "contivk8s"`, ""}, {NetworkBridge, `"subnet": "10.88.2.0/24"`, ""}, {"paper", "", `network of pods "paper": want contiv, bridge or none`},
	} {
		got, err := NetworkConfig(tt.network, "1.1.0", 2)
		if tt.err != "" && (err == nil || err.Error() != tt.err) || tt.err == "" && (err != nil || !strings.Contains(string(got), tt.want) || !strings.Contains(string(got), `"cniVersion": "1.1.0"`)) {
			t.Errorf("%s: got %s, %v", tt.network, got, err)
		}
	}
	if got, err := NetworkConfig(NetworkNone, "1.1.0", 2); got != nil || err != nil {
		t.Errorf("no network: got %s, %v", got, err)
	}
}
