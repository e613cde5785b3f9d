// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/setup"
	"github.com/contiv/contiv/test/bench/report"
	"github.com/contiv/contiv/trust"
)

// agentOf is the host whose agent asks.
const agentOf = "h1"

// secured pairs endpoints that an agent creates over its connection by TLS, with proof on both ends, with those of a netmaster that speaks
// plain HTTP. Each netmaster has an etcd of its own.
func secured(ctx context.Context, dir, program string, n, rounds int) (*report.Table, error) {
	var makers []*maker
	for _, over := range []string{"https", "http"} {
		m, err := newMaker(ctx, filepath.Join(dir, over), program, over)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", over, err)
		}
		defer m.stop()
		makers = append(makers, m)
	}
	t := &report.Table{Title: fmt.Sprintf("Endpoints created by an agent over TLS, against plain HTTP (%s, fsync, medians of %d rounds)", beside, rounds)}
	for _, clients := range []int{1, 64} {
		var rates [2][]float64
		var spent [2]time.Duration
		for range rounds {
			for i, m := range makers {
				before, err := spentBy(m.cmd.Process.Pid)
				if err != nil {
					return nil, err
				}
				r, err := rate(ctx, m.create, n, clients)
				if err != nil {
					return nil, err
				}
				after, err := spentBy(m.cmd.Process.Pid)
				if err != nil {
					return nil, err
				}
				rates[i], spent[i] = append(rates[i], r), spent[i]+after-before
			}
		}
		a, b := report.Median(rates[0]), report.Median(rates[1])
		t.Add(report.Row{What: fmt.Sprintf("%d at a time", clients), Ours: report.Rate(a), Peer: report.Rate(b), Ratio: a / b, Target: ">= 0.90", Met: a/b >= 0.9})
		made := time.Duration(n * min(clients, 8) * rounds)
		t.Add(report.Row{What: "  netmaster's CPU time for one", Ours: report.Millis(spent[0] / made), Peer: report.Millis(spent[1] / made), Target: "-", Met: true})
	}
	return t, nil
}

// maker is the agent of a host, and the netmaster that it asks.
type maker struct {
	*master
	serial atomic.Int64
	stop   func()
}

// newMaker starts an etcd, and a netmaster that is reached by http or https, with a network.
func newMaker(ctx context.Context, dir, program, over string) (*maker, error) {
	db, err := startServer(filepath.Join(dir, "etcd"))
	if err != nil {
		return nil, err
	}
	flag, agent, user, err := ways(trust.Dir(filepath.Join(dir, "trust")), over)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	m, err := launchBy(ctx, program, filepath.Join(dir, "netmaster.log"), over, agent, "--etcd-endpoints", db.url, flag)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	out := &maker{master: m, stop: func() {
		m.end(syscall.SIGTERM)
		_ = db.Close()
	}}
	admin := client.Client{Base: m.Base, HTTP: user}
	if _, err := admin.Networks().Put(ctx, &model.Network{TenantName: "default", NetworkName: "bench", Encap: "vlan", Subnet: "10.0.0.0/8"}); err != nil {
		out.stop()
		return nil, err
	}
	return out, nil
}

// create makes one endpoint.
func (m *maker) create(ctx context.Context) error {
	name := fmt.Sprintf("%064d", m.serial.Add(1))
	_, _, err := m.CreateEndpoint(ctx, model.CreateEndpointRequest{TenantName: "default", NetworkName: "bench", ConfigEP: model.EndpointConfigRequest{Container: name, Host: agentOf}})
	return err
}

// ways are the flag that a netmaster is started with, and how an agent and an administrator reach it by http or https. For https it makes
// an authority, and their certificates, in a directory.
func ways(d trust.Dir, over string) (flag string, agent, user *http.Client, err error) {
	if over == "http" {
		return "--insecure", channel.NewHTTP(nil), http.DefaultClient, nil
	}
	now := time.Now()
	a, err := trust.NewAuthority(now)
	if err != nil {
		return "", nil, nil, err
	}
	certificate, key, err := a.PEM()
	if err != nil {
		return "", nil, nil, err
	}
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return "", nil, nil, err
	}
	if err := d.SaveAuthority(certificate, key); err != nil {
		return "", nil, nil, err
	}
	held := map[trust.Role]*trust.Holder{}
	for _, who := range []trust.Identity{{Role: trust.Master, Name: agentOf}, {Role: trust.Agent, Name: agentOf}, {Role: trust.User, Name: setup.Admin}} {
		if err := d.Certify(a, who, now, "localhost", "127.0.0.1"); err != nil {
			return "", nil, nil, err
		}
		if held[who.Role], err = trust.Open(d, who.Role); err != nil {
			return "", nil, nil, err
		}
	}
	user = &http.Client{Transport: &http.Transport{TLSClientConfig: held[trust.User].Client(trust.Master, "")}}
	return "--trust=" + string(d), channel.NewHTTP(held[trust.Agent]), user, nil
}
