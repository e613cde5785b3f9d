// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"log/slog"
	"net"
	"os"
	"os/exec"
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

// serve is the process that start starts.
func serve(ctx context.Context, dir, client, peer string) error {
	_, err := embedded.Start(ctx, embedded.Config{Dir: dir, ClientURL: client, PeerURL: peer, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	select {}
}
