// SPDX-License-Identifier: Apache-2.0

package node_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// At loopback every account of the host can ask: nothing can be changed there, and no one's packets taken. The control address and
// the unix socket, which is root's, serve everything.
func TestDoorsOfInspection(t *testing.T) {
	s := newSite(t)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	s.edit = func(c *config) { c.Addresses.Control, c.InspectPort = netip.MustParseAddr("127.0.0.2"), port }
	s.start()
	s.add("web", "1.0.0", "")
	path := filepath.Join(filepath.Dir(s.socket), "contiv-agent.sock")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%s: want a socket of mode 0600, got %v, %v", path, info, err)
	}
	unix := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}}
	defer unix.CloseIdleConnections()
	const capture = "/inspect/capture?endpoint=default:default-net:web&seconds=1&packets=1"
	for _, row := range []struct {
		method, path     string
		loopback, others int
	}{
		{"GET", "/healthz", 200, 200}, {"HEAD", "/healthz", 200, 200}, {"GET", "/readyz", 200, 200}, {"GET", "/metrics", 200, 200}, {"GET", "/status", 200, 200},
		{"GET", "/inspect/ports", 200, 200}, {"POST", "/inspect/drift", 403, 200}, {"GET", capture, 403, 200}, {"HEAD", capture, 403, 200},
		{"DELETE", "/debug/reclaimEndpoint/none", 403, 200}, {"GET", "/nothing", 404, 404},
	} {
		for _, door := range []struct {
			client *http.Client
			at     string
			want   int
		}{{http.DefaultClient, fmt.Sprintf("127.0.0.1:%d", port), row.loopback}, {http.DefaultClient, fmt.Sprintf("127.0.0.2:%d", port), row.others}, {unix, "agent", row.others}} {
			q, err := http.NewRequestWithContext(s.ctx, row.method, "http://"+door.at+row.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			a, err := door.client.Do(q)
			if err != nil {
				t.Fatalf("%s %s at %s: %v", row.method, row.path, door.at, err)
			}
			body, _ := io.ReadAll(a.Body)
			_ = a.Body.Close()
			if a.StatusCode != door.want || a.StatusCode == 403 && row.method != "HEAD" && !strings.Contains(string(body), path) {
				t.Errorf("%s %s at %s: want %d, and where it is served, got %d %.100s", row.method, row.path, door.at, door.want, a.StatusCode, body)
			}
		}
	}
}
