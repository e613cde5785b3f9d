package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"syscall"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/etcd"
	"github.com/contiv/contiv/identity"
)

// hostsOfTenant is how many hosts the endpoints of a tenant are on.
const hostsOfTenant = 10

// patience is how long anything may take.
const patience = 2 * time.Minute

// world is a cluster without switches.
type world struct {
	size
	dir, netmaster string

	etcd    *server
	db      *etcd.Store
	masters []*master
	agents  []*agent
	stop    context.CancelFunc
	marks   int // changes of which all hosts are told, so far
}

func (s size) tenants() int { return max(1, s.agents/hostsOfTenant) }

// tenantOf is the tenant of an endpoint.
func (s size) tenantOf(endpoint int) int { return endpoint % s.tenants() }

// hostOf is its host: the endpoints of a tenant are on hosts of their own.
func (s size) hostOf(endpoint int) int {
	return (s.tenantOf(endpoint)*hostsOfTenant + endpoint/s.tenants()%hostsOfTenant) % s.agents
}

// begin starts the store and the netmasters, with all endpoints in the store.
func (w *world) begin(ctx context.Context) (err error) {
	if w.etcd, err = newServer(filepath.Join(w.dir, "etcd")); err != nil {
		return err
	}
	if err := w.etcd.start(); err != nil {
		return err
	}
	if w.db, err = etcd.Open(etcd.Config{Endpoints: []string{w.etcd.client}}); err != nil {
		return err
	}
	if err := w.answer(ctx); err != nil {
		return err
	}
	if err := w.fill(ctx); err != nil {
		return err
	}
	for i := range w.size.masters {
		m, err := launch(ctx, w.netmaster, filepath.Join(w.dir, fmt.Sprintf("netmaster%d.log", i)), w.etcd.client)
		if err != nil {
			return err
		}
		w.masters = append(w.masters, m)
	}
	return nil
}

// end ends all processes.
func (w *world) end() {
	if w.stop != nil {
		w.stop()
	}
	for _, m := range w.masters {
		m.end(syscall.SIGKILL)
	}
	if w.db != nil {
		_ = w.db.Close()
	}
	if w.etcd != nil {
		w.etcd.kill()
	}
}

// answer waits until the store answers.
func (w *world) answer(ctx context.Context) error {
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		limited, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		_, err := w.db.Read(limited, record.GlobalKey)
		cancel()
		if err == nil || errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if time.Now().After(end) {
			return err
		}
	}
}

// endpoint is the record of one, in its n-th form.
func (w *world) endpoint(i, n int) (key string, value []byte, err error) {
	at := netip.AddrFrom4([4]byte{10, byte((i + 1) >> 16), byte((i + 1) >> 8), byte(i + 1)})
	four := at.As4()
	host := w.hostOf(i)
	name := fmt.Sprintf("%064d", i)
	e := record.Endpoint{ID: identity.Endpoint{Network: identity.Network{Tenant: fmt.Sprint("t", w.tenantOf(i)), Name: "net"}, Endpoint: name}, ContainerID: name, CommonName: fmt.Sprintf("app-%d-%d", i, n),
		Host: fmt.Sprint("h", host), VTEP: netip.AddrFrom4([4]byte{192, 168, byte(host / 250), byte(1 + host%250)}), IP: at, MAC: record.MAC(append([]byte{2, 2}, four[:]...))}
	value, err = json.Marshal(e)
	return record.Endpoints + e.ID.String(), value, err
}

// fill writes the endpoints.
func (w *world) fill(ctx context.Context) error {
	var tx store.Tx
	flush := func() error {
		_, err := w.db.Commit(ctx, &tx)
		tx = store.Tx{}
		return err
	}
	most := w.db.Limits().Ops
	for i := range w.endpoints {
		key, value, err := w.endpoint(i, 0)
		if err != nil {
			return err
		}
		if tx.Put(key, value); len(tx.Ops()) == most {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}
