// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/etcd"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ipam"
	"github.com/contiv/contiv/test/bench/report"
)

// hostsOfTenant is the number of hosts with endpoints of a tenant.
const hostsOfTenant = 10

// timeout bounds every wait.
const timeout = 2 * time.Minute

// world is a cluster without switches.
type world struct {
	size
	dir, netmaster string

	etcd    *server
	db      *etcd.Store
	masters []*master
	agents  []*agent
	wires   []*wire         // of a third of them each
	known   []string        // URLs of all netmasters that ever ran
	ctx     context.Context // of the agents
	stop    context.CancelFunc
	point   report.Point
	carried map[int][]string // ids of the hosts' endpoints; nil: agents offer nothing
	marks   int              // changes that all hosts receive, so far
	checks  uint16           // port of the agents' checks; 0: nothing serves them
}

func (s size) tenants() int { return max(1, s.agents/hostsOfTenant) }

// tenantOf returns the tenant of an endpoint.
func (s size) tenantOf(endpoint int) int { return endpoint % s.tenants() }

// hostOf returns its host: each host has endpoints of one tenant.
func (s size) hostOf(endpoint int) int {
	return (s.tenantOf(endpoint)*hostsOfTenant + endpoint/s.tenants()%hostsOfTenant) % s.agents
}

// begin starts the store and the netmasters, with all endpoints in the store.
func (w *world) begin(ctx context.Context) (err error) {
	if err := w.serveChecks(ctx); err != nil {
		return err
	}
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
	if err := w.past(ctx); err != nil {
		return err
	}
	for i := range w.size.masters {
		m, err := launch(ctx, w.netmaster, w.listen, filepath.Join(w.dir, fmt.Sprintf("netmaster%d.log", i)), w.etcd.client)
		if err != nil {
			return err
		}
		w.masters = append(w.masters, m)
		w.known = append(w.known, m.url)
	}
	fmt.Fprintln(os.Stderr, "netmasters, for -join:", strings.Join(w.known, ","))
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
	for end := time.Now().Add(timeout); ; time.Sleep(10 * time.Millisecond) {
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

// endpoint returns the record of one, in its n-th form.
func (w *world) endpoint(i, n int) (key string, value []byte, err error) {
	at := w.subnet(w.tenantOf(i))
	four := at.As4()
	binary.BigEndian.PutUint32(four[:], binary.BigEndian.Uint32(four[:])+uint32(1+i/w.tenants()))
	host := w.hostOf(i)
	name := fmt.Sprintf("%064d", i)
	e := record.Endpoint{ID: identity.Endpoint{Network: identity.Network{Tenant: fmt.Sprint("t", w.tenantOf(i)), Name: "net"}, Endpoint: name}, ContainerID: name, CommonName: fmt.Sprintf("app-%d-%d", i, n),
		Host: fmt.Sprint("h", host), VTEP: netip.AddrFrom4([4]byte{192, 168, byte(host / 250), byte(1 + host%250)}), IP: netip.AddrFrom4(four), MAC: record.MAC(append([]byte{2, 2}, four[:]...))}
	value, err = json.Marshal(e)
	return record.Endpoints + e.ID.String(), value, err
}

// past writes what happened.
func (w *world) past(ctx context.Context) error {
	begin := time.Now().Add(-time.Hour)
	return w.write(ctx, w.history, func(i int) (string, []byte, error) {
		at := begin.Add(time.Duration(i) * time.Millisecond)
		return fmt.Sprintf("%s%016x", record.History, at.UnixNano()), fmt.Appendf(nil,
			`{"t":%d,"e":[{"b":{"p":"netctl","u":"root","h":"admin","a":"192.0.2.%d"},"c":[{"k":"endpoint","n":"t%d:net:%064d","f":[{"n":"name","w":"app"}]}]}]}`, at.UnixMilli(), i%200, i%100, i), nil
	})
}

// width returns the number of bits of a tenant's addresses.
func (s size) width() int { return max(8, bits.Len(uint(s.endpoints/s.tenants()+2+drillLate))) }

// subnet returns the first address of a tenant.
func (s size) subnet(tenant int) netip.Addr {
	var four [4]byte
	binary.BigEndian.PutUint32(four[:], 10<<24+uint32(tenant)<<s.width())
	return netip.AddrFrom4(four)
}

// network returns the record of a tenant's only network.
func (w *world) network(tenant int) (key string, value []byte, err error) {
	at := netip.PrefixFrom(w.subnet(tenant), 32-w.width())
	n := record.Network{ID: identity.Network{Tenant: fmt.Sprint("t", tenant), Name: "net"}, Kind: record.DataNetwork, Encap: record.VXLAN, PktTag: 1 + tenant, ExtPktTag: 10_000 + tenant,
		Subnet: at, Addresses: ipam.RangeOf(at)}
	value, err = json.Marshal(n)
	return record.Networks + n.ID.String(), value, err
}

// fill writes the networks and the endpoints, twice.
func (w *world) fill(ctx context.Context) error {
	if err := w.write(ctx, w.tenants(), w.network); err != nil {
		return err
	}
	if err := w.write(ctx, w.endpoints, func(i int) (string, []byte, error) { return w.endpoint(i, 0) }); err != nil {
		return err
	}
	return w.write(ctx, w.revisions, func(i int) (string, []byte, error) { return w.endpoint(i%w.endpoints, i) })
}

// write writes n records, as many in a transaction as fit.
func (w *world) write(ctx context.Context, n int, of func(i int) (key string, value []byte, err error)) error {
	var tx store.Tx
	flush := func() error {
		_, err := w.db.Commit(ctx, &tx)
		tx = store.Tx{}
		return err
	}
	most := w.db.Limits().Ops
	for i := range n {
		key, value, err := of(i)
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
