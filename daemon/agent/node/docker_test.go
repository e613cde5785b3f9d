// SPDX-License-Identifier: Apache-2.0

package node_test

import (
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/contiv/contiv/daemon/agent/dockerhost"
)

// dockerEngine answers at a socket that it has no container and no network, until the test ends. It counts who asks for networks.
func dockerEngine(t *testing.T, socket string) *atomic.Int64 {
	t.Helper()
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	listed := &atomic.Int64{}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Api-Version", "1.44")
		switch path := q.URL.Path; {
		case strings.HasSuffix(path, "/events"):
			_ = http.NewResponseController(w).Flush()
			<-q.Context().Done()
		case strings.HasSuffix(path, "/info"):
			_, _ = w.Write([]byte(`{"ID":"E1","ServerVersion":"29.0.1"}`))
		case strings.HasSuffix(path, "/containers/json"):
			_, _ = w.Write([]byte(`[]`))
		case strings.HasSuffix(path, "/networks"):
			listed.Add(1)
			_, _ = w.Write([]byte(`[]`))
		case strings.HasSuffix(path, "/networks/create"):
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write([]byte(`{"Id":"n"}`))
		}
	})}
	go func() { _ = server.Serve(ln) }()
	t.Cleanup(func() { _ = server.Close() })
	return listed
}

// An agent that is to find out who runs containers asks no engine where there is none, and serves one that comes later as one that was
// there.
func TestDockerSought(t *testing.T) {
	s := newSite(t)
	dir := t.TempDir()
	engine, plugin := filepath.Join(dir, "d"), filepath.Join(dir, "p", "netplugin.sock")
	s.edit = func(c *config) {
		c.Env.Mode = "auto"
		c.Docker = dockerhost.Settings{Name: "netplugin", Dir: filepath.Dir(plugin), Engine: engine}
	}
	s.start()
	if got := s.node.Status(); got.Docker != nil || got.Mode != "cni" || !got.Ready {
		t.Errorf("without an engine: want nothing of Docker, mode cni and a ready agent, got %+v, %q, %v", got.Docker, got.Mode, got.Waiting)
	}
	if _, err := os.Stat(plugin); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without an engine: want no driver, got %v", err)
	}
	s.add("a", "1.0.0", "")

	listed := dockerEngine(t, engine)
	s.eventually("an engine that has come", func() string {
		got := s.node.Status()
		if got.Mode != "docker" || got.Docker == nil || !got.Docker.Here || listed.Load() == 0 {
			return "mode " + got.Mode + ", and its networks are not asked for"
		}
		if got.Docker.Networks == nil || *got.Docker.Networks != 2 { // of all tenants, which netmaster sends to hosts with an engine
			return "the cluster's two networks are not made there: " + got.Docker.String()
		}
		if _, err := os.Stat(plugin); err != nil {
			return err.Error()
		}
		return ""
	})
	s.add("b", "1.0.0", "")

	s.stop()
	s.start()
	if got := s.node.Status(); got.Mode != "docker" || got.Docker == nil {
		t.Errorf("an engine that is there at the start: want it asked, got mode %q", got.Mode)
	}
}

// An agent that is configured for Docker says so while there is no engine.
func TestDockerAway(t *testing.T) {
	s := newSite(t)
	dir := t.TempDir()
	s.edit = func(c *config) {
		c.Env.Mode = "docker"
		c.Docker = dockerhost.Settings{Name: "netplugin", Dir: dir, Engine: filepath.Join(dir, "d")}
	}
	s.start()
	s.eventually("an engine that is away", func() string {
		if got := s.node.Status(); got.Mode != "docker" || !strings.Contains(got.Docker.Problem(), "the Docker engine is away") {
			return "mode " + got.Mode + ", and no trouble"
		}
		return ""
	})
}
