// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/test/bench/report"
)

// inspections measures inspecting a /16 whose every address an endpoint has, of a netmaster that found it in the store:
// until the first byte of the answer, and its CPU time for the whole of it.
func inspections(ctx context.Context, dir, netmaster string) (*report.Table, error) {
	etcd, err := startServer(filepath.Join(dir, "etcd-inspection"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = etcd.Close() }()
	if err := fill(ctx, etcd, fullNetwork(), 1<<16-2, fullEndpoint); err != nil {
		return nil, err
	}
	m, err := launch(ctx, netmaster, filepath.Join(dir, "inspection.log"), "--etcd-endpoints", etcd.url)
	if err != nil {
		return nil, err
	}
	defer m.end(syscall.SIGTERM)
	url := "http://" + m.address + "/api/v1/inspect/networks/default:full/"
	size, _, err := fetch(ctx, m.HTTP, url) // the first one encodes
	if err != nil {
		return nil, err
	}
	const rounds = 20
	before, err := spentBy(m.cmd.Process.Pid)
	if err != nil {
		return nil, err
	}
	var first []time.Duration
	for range rounds {
		_, wait, err := fetch(ctx, m.HTTP, url)
		if err != nil {
			return nil, err
		}
		first = append(first, wait)
	}
	after, err := spentBy(m.cmd.Process.Pid)
	if err != nil {
		return nil, err
	}
	median := report.Median(first)
	t := &report.Table{Title: fmt.Sprintf("Inspecting a full /16: 65,534 endpoints, %d MB of JSON", size>>20)}
	t.Add(report.Row{What: "until the answer begins", Ours: report.Millis(median), Target: "<= 5 ms", Met: median <= 5*time.Millisecond})
	t.Add(report.Row{What: "netmaster's CPU time, sending included", Ours: report.Millis((after - before) / rounds), Target: "-", Met: true})
	return t, nil
}

// fullNetwork is a /16, and fullEndpoint has its address i.
func fullNetwork() *model.Network {
	return &model.Network{TenantName: "default", NetworkName: "full", Encap: "vlan", NwType: "data", PktTag: 1, Subnet: "10.1.0.0/16"}
}

func fullEndpoint(i int) record.Endpoint {
	name := fmt.Sprintf("%064d", i)
	return record.Endpoint{ID: identity.Endpoint{Network: fullNetwork().Identity(), Endpoint: name}, ContainerID: name, Host: "h1",
		IP: netip.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)}), MAC: record.MAC{2, 2, 10, 1, byte(i >> 8), byte(i)}}
}

// fill writes a network and n endpoints of it, from 1, as a netmaster would have.
func fill(ctx context.Context, db store.Store, network *model.Network, n int, endpoint func(i int) record.Endpoint) error {
	tx := &store.Tx{}
	put := func(key string, v any) error {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		tx.Put(key, text)
		if len(tx.Ops()) < 100 {
			return nil
		}
		_, err = db.Commit(ctx, tx)
		tx = &store.Tx{}
		return err
	}
	if err := put(record.Objects+network.Kind().Name+"/"+network.ObjectKey(), network); err != nil {
		return err
	}
	subnet, err := netip.ParsePrefix(network.Subnet)
	if err != nil {
		return err
	}
	r := &record.Network{ID: network.Identity(), Kind: record.DataNetwork, Encap: record.Encap(network.Encap), PktTag: network.PktTag, Subnet: subnet}
	if err := put(record.Networks+r.ID.String(), r); err != nil {
		return err
	}
	for i := 1; i <= n; i++ {
		e := endpoint(i)
		if err := put(record.Endpoints+e.ID.String(), e); err != nil {
			return err
		}
	}
	_, err = db.Commit(ctx, tx)
	return err
}

// fetch reads all of url and returns its size, and the time until its answer began.
func fetch(ctx context.Context, c *http.Client, url string) (size int64, began time.Duration, err error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, 0, err
	}
	q.Header.Set("Accept", "application/json")
	start := time.Now()
	answer, err := c.Do(q)
	if err != nil {
		return 0, 0, err
	}
	began = time.Since(start)
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return 0, 0, fmt.Errorf("%s: %s", url, answer.Status)
	}
	size, err = io.Copy(io.Discard, answer.Body)
	return size, began, err
}

// spentBy is the CPU time of a process so far, user and system: fields 14 and 15 of proc(5) stat, in hundredths of a second.
func spentBy(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	var ticks time.Duration
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += time.Duration(n)
	}
	return ticks * 10 * time.Millisecond, nil
}
