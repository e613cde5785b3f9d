// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/etcd"
)

// deployment reports whether a netmaster runs its own etcd.
type deployment string

const (
	beside deployment = "etcd beside netmaster"
	inside deployment = "etcd inside netmaster"
)

// pair is a netmaster, and a client of its etcd over the socket, as any program beside netmaster is one.
type pair struct {
	store.Store
	*master
	stop func() error
}

// settle starts a netmaster whose data are in dir.
func settle(ctx context.Context, dir, program string, as deployment) (*pair, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	log := filepath.Join(dir, "netmaster.log")
	if as == beside {
		db, err := startServer(filepath.Join(dir, "etcd"))
		if err != nil {
			return nil, err
		}
		m, err := launch(ctx, program, log, "--etcd-endpoints", db.url)
		if err != nil {
			return nil, errors.Join(err, db.Close())
		}
		return &pair{db, m, db.Close}, nil
	}
	var urls [2]string
	for i := range urls {
		address, err := freeAddress()
		if err != nil {
			return nil, err
		}
		urls[i] = "http://" + address
	}
	m, err := launch(ctx, program, log, "--embedded-store", filepath.Join(dir, "etcd"), "--embedded-name", "bench",
		"--embedded-client-url", urls[0], "--embedded-peer-url", urls[1])
	if err != nil {
		return nil, err
	}
	db, err := etcd.Open(etcd.Config{Endpoints: urls[:1]})
	if err != nil {
		m.end(syscall.SIGKILL)
		return nil, fmt.Errorf("open netmaster's etcd: %w", err)
	}
	return &pair{db, m, db.Close}, nil
}

// Close ends both.
func (p *pair) Close() error {
	p.end(syscall.SIGTERM)
	return p.stop()
}

// freeAddress is an address of loopback at which nothing listens.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
