package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"github.com/contiv/contiv/daemon/store/embedded"
)

// server is an etcd in a process of its own.
type server struct {
	dir, client, peer string
	cmd               *exec.Cmd
}

func newServer(dir string) (*server, error) {
	s := &server{dir: dir}
	for _, url := range []*string{&s.client, &s.peer} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		*url = "http://" + l.Addr().String()
	}
	return s, nil
}

func (s *server) start() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	s.cmd = exec.Command(self, "-etcd", s.dir, "-client", s.client, "-peer", s.peer)
	s.cmd.Stderr = os.Stderr
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return s.cmd.Start()
}

func (s *server) kill() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
}

// sent is how many bytes the server has sent to clients since it started.
func (s *server) sent() (float64, error) {
	resp, err := http.Get(s.client + "/metrics")
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if n, ok := strings.CutPrefix(line, "etcd_network_client_grpc_sent_bytes_total "); ok {
			return strconv.ParseFloat(strings.TrimSpace(n), 64)
		}
	}
	return 0, fmt.Errorf("%s/metrics does not tell what was sent", s.client)
}

// serve is the process that start starts.
func serve(ctx context.Context, dir, client, peer string) error {
	_, err := embedded.Start(ctx, embedded.Config{Dir: dir, ClientURL: client, PeerURL: peer, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	select {}
}
