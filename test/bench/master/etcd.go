// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
	"github.com/contiv/contiv/daemon/store/etcd"
)

// server is an etcd in a process of its own, as clusters have it, and a client of it over its socket, as netmaster is one.
type server struct {
	store.Store
	url  string
	cmd  *exec.Cmd
	hold io.Closer // its input: it ends when that does
}

// startServer runs this program again as an etcd whose data are in dir, and waits until it serves.
func startServer(dir string) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-etcd", dir)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	hold, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{cmd: cmd, hold: hold}
	url, err := bufio.NewReader(out).ReadString('\n')
	if err == nil {
		s.url = strings.TrimSpace(url)
		s.Store, err = etcd.Open(etcd.Config{Endpoints: []string{s.url}})
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start an etcd: %w", err), hold.Close(), cmd.Wait())
	}
	return s, nil
}

// Close ends both.
func (s *server) Close() error {
	return errors.Join(s.Store.Close(), s.hold.Close(), s.cmd.Wait())
}

// serve is the process that startServer starts.
func serve(ctx context.Context, dir string, in io.Reader, out io.Writer) error {
	db, err := embedded.Start(ctx, embedded.Config{Dir: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, db.ClientURL())
	_, err = io.Copy(io.Discard, in)
	return errors.Join(err, db.Close())
}
