// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/contiv/contiv/lab"
)

// stub is a network and IPAM driver that does just enough for an engine: pools are as asked for, addresses follow each other, and
// interfaces are ends of pairs that go nowhere.
type stub struct {
	t    *testing.T
	l    *lab.Lab
	host string

	mu   sync.Mutex
	last map[string]int // address given out last, by pool
	made int            // pairs
}

// inside is the path of a host's file as this process finds it.
func inside(t *testing.T, l *lab.Lab, host, path string) string {
	t.Helper()
	pid, err := os.ReadFile(filepath.Join(l.Dir, host, "init.pid"))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("/proc/%s/root%s", strings.TrimSpace(string(pid)), path)
}

// serveStub serves a driver of that name to the engine of a host until the test ends.
func serveStub(t *testing.T, l *lab.Lab, host, name string) {
	t.Helper()
	dir := inside(t, l, host, "/run/docker/plugins")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("unix", filepath.Join(dir, name+".sock"))
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: &stub{t: t, l: l, host: host, last: map[string]int{}}}
	go func() { _ = s.Serve(ln) }()
	t.Cleanup(func() { _ = s.Close() })
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct{ Pool, PoolID, Address, EndpointID string }
	_ = json.NewDecoder(r.Body).Decode(&q)
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := map[string]any{}
	switch strings.TrimPrefix(r.URL.Path, "/") {
	case "Plugin.Activate":
		answer["Implements"] = []string{"NetworkDriver", "IpamDriver"}
	case "NetworkDriver.GetCapabilities":
		answer["Scope"] = "local"
	case "IpamDriver.RequestPool":
		answer["PoolID"], answer["Pool"] = q.Pool, q.Pool
	case "IpamDriver.RequestAddress":
		bits := q.PoolID[strings.Index(q.PoolID, "/"):]
		if q.Address == "" {
			s.last[q.PoolID]++
			base, _, _ := strings.Cut(q.PoolID, "/")
			q.Address = strings.TrimSuffix(strings.TrimSuffix(base, "0"), "::") + strconv.Itoa(s.last[q.PoolID])
			if strings.Contains(base, "::") {
				q.Address = strings.TrimSuffix(base, "0") + strconv.Itoa(s.last[q.PoolID])
			}
		}
		answer["Address"] = q.Address + bits
	case "NetworkDriver.Join":
		s.made++
		near, far := "near"+strconv.Itoa(s.made), "far"+strconv.Itoa(s.made)
		cmd, err := s.l.Command(s.t.Context(), s.host, "ip", "link", "add", near, "type", "veth", "peer", "name", far)
		if err == nil {
			err = cmd.Run()
		}
		if err != nil {
			s.t.Errorf("make a pair: %v", err)
		}
		answer["InterfaceName"] = map[string]string{"SrcName": far, "DstPrefix": "eth"}
	}
	w.Header().Set("Content-Type", "application/vnd.docker.plugins.v1.1+json")
	_ = json.NewEncoder(w).Encode(answer)
}
