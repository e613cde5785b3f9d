// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/etcd"
	"github.com/contiv/contiv/test/bench/report"
)

// drillMost is how long it may take from the loss of all netmasters to the next endpoint.
const drillMost = time.Minute

// drillLate is how many endpoints come after the snapshot.
const drillLate = 200

// host is a machine with a netmaster and its embedded store, below a directory.
type host struct {
	root, contiv, client, peer, address string
}

// flags are those of netmaster that say where its store is.
func (h *host) flags() []string {
	return []string{"--embedded-store", filepath.Join(h.root, "var/lib/contiv/store"), "--embedded-name", "h1", "--embedded-client-url", h.client, "--embedded-peer-url", h.peer,
		"--cluster-file", filepath.Join(h.root, "etc/contiv/cluster")}
}

// run runs contiv for the host, and returns what it prints.
func (h *host) run(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, h.contiv, append(args, "--root", h.root)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("contiv %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// newHost makes the directory of a host, with what contiv init writes of the store.
func (w *world) newHost() (*host, error) {
	h := &host{root: filepath.Join(w.dir, "host"), contiv: filepath.Join(filepath.Dir(w.netmaster), "contiv")}
	for _, url := range []*string{&h.client, &h.peer} {
		at, err := free(w.listen)
		if err != nil {
			return nil, err
		}
		*url = "http://" + at
	}
	var err error
	if h.address, err = free(w.listen); err != nil {
		return nil, err
	}
	var settings strings.Builder
	flags := h.flags()
	for i := 0; i < len(flags); i += 2 {
		fmt.Fprintf(&settings, "CONTIV_NETMASTER_%s=%s\n", strings.ToUpper(strings.ReplaceAll(strings.TrimPrefix(flags[i], "--"), "-", "_")), flags[i+1])
	}
	dir := filepath.Join(h.root, "etc/contiv/host")
	return h, errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "netmaster.env"), []byte(settings.String()), 0o600))
}

// startOn starts the netmaster of the host, which is then the only one.
func (w *world) startOn(ctx context.Context, h *host) error {
	m, err := launchAt(ctx, w.netmaster, h.address, filepath.Join(w.dir, "netmaster.log"), h.flags()...)
	if err == nil {
		w.masters = []*master{m}
	}
	return err
}

// drill measures how long it takes from the loss of all netmasters, with their store, to the next endpoint, by two commands, with agents
// running that carry more than the snapshot has. It fails when an endpoint is lost, when an address is assigned twice, and when it takes
// too long.
func (w *world) drill(ctx context.Context, machine string) error {
	w.carried = map[int][]string{}
	h, err := w.newHost()
	if err != nil {
		return err
	}
	if err := w.startOn(ctx, h); err != nil {
		return err
	}
	w.known = []string{w.masters[0].url}
	if w.db, err = etcd.Open(etcd.Config{Endpoints: []string{h.client}}); err != nil {
		return err
	}
	for i := range w.tenants() {
		if err := w.masters[0].takes(ctx, fmt.Sprint("t", i)); err != nil {
			return err
		}
	}
	if err := w.fill(ctx); err != nil {
		return err
	}
	for i := range w.endpoints {
		if key, _, err := w.endpoint(i, 0); err == nil && w.hostOf(i) < w.size.agents {
			w.carried[w.hostOf(i)] = append(w.carried[w.hostOf(i)], strings.TrimPrefix(key, record.Endpoints))
		}
	}
	t := &report.Table{Title: fmt.Sprintf("all netmasters and the store are lost: %d agents, %d endpoints, %d of which the snapshot lacks; %s", w.size.agents, w.endpoints+drillLate, drillLate, machine)}
	if err := w.starts(ctx, t); err != nil {
		return err
	}
	t.Rows = nil
	begin := time.Now()
	out, err := h.run(ctx, "snapshot", "save")
	if err != nil {
		return err
	}
	path, _, _ := strings.Cut(strings.TrimPrefix(out, "saved "), ": ")
	t.Add(report.Row{What: "contiv snapshot save", Ours: seconds(time.Since(begin)), Target: "-", Met: true})
	late, err := w.late(ctx)
	if err != nil {
		return err
	}
	if err := w.recovers(ctx, t, h, path); err != nil {
		return err
	}
	if err := w.whole(ctx, late); err != nil {
		return err
	}
	if wrong := t.Wrong(); w.check && len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return t.Write(os.Stdout)
}

// asks is how an agent asks for endpoints, without an answer to anything else.
func (w *world) asks() channel.Master {
	return channel.Master{Client: &client.Client{Masters: w.urls, HTTP: newWire().client(), Timeout: timeout}}
}

// late makes the endpoints that come after the snapshot, and returns their addresses by their ids.
func (w *world) late(ctx context.Context) (map[string]string, error) {
	m, out := w.asks(), map[string]string{}
	hosts := min(w.size.agents, w.tenants()*hostsOfTenant) // which have a network
	for i := range drillLate {
		ep, err := w.add(ctx, m, fmt.Sprintf("late%d", i), i%hosts)
		if err != nil {
			return nil, err
		}
		out[ep.ID.String()] = ep.IP.String()
		w.agents[i%hosts].attach(ep.ID.String())
	}
	return out, await(func() bool { // until each host knows its own
		for i := range drillLate {
			if !w.agents[i%hosts].is(func(a *agent) bool { _, came := a.heard[fmt.Sprintf("late%d", i)]; return came }) {
				return false
			}
		}
		return true
	})
}

// add makes an endpoint on a host of an agent, in the agent's tenant.
func (w *world) add(ctx context.Context, m channel.Master, name string, at int) (record.Endpoint, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	a := w.agents[at]
	ep, _, err := m.CreateEndpoint(limited, model.CreateEndpointRequest{TenantName: a.tenant, NetworkName: "net", EndpointID: name, EPCommonName: name,
		ConfigEP: model.EndpointConfigRequest{Container: name, Host: a.label}})
	return ep, err
}

// recovers loses the netmaster and its store, and restores the snapshot by two commands.
func (w *world) recovers(ctx context.Context, t *report.Table, h *host, path string) error {
	w.masters[0].end(syscall.SIGKILL)
	w.masters = nil
	if err := os.RemoveAll(filepath.Join(h.root, "var/lib/contiv/store")); err != nil {
		return err
	}
	begin := time.Now()
	if _, err := h.run(ctx, "snapshot", "restore", path); err != nil {
		return err
	}
	t.Add(report.Row{What: "contiv snapshot restore", Ours: seconds(time.Since(begin)), Target: "-", Met: true})
	if err := w.startOn(ctx, h); err != nil {
		return err
	}
	t.Add(report.Row{What: "... until netmaster is ready", Ours: seconds(time.Since(begin)), Target: "-", Met: true})
	if _, err := w.add(ctx, w.asks(), "next", 0); err != nil {
		return err
	}
	took := time.Since(begin)
	t.Add(report.Row{What: "... until all hosts have offered what they carry, and an endpoint is added", Ours: seconds(took), Target: seconds(drillMost), Met: took <= drillMost, Must: true})
	return nil
}

// whole returns an error unless the store has all endpoints, the late ones with their addresses, and no address twice.
func (w *world) whole(ctx context.Context, late map[string]string) error {
	var list []store.Item
	err := await(func() bool { // the client connects again
		var unread error
		list, _, unread = w.db.List(ctx, record.Endpoints)
		return unread == nil
	})
	if err != nil {
		return fmt.Errorf("list endpoints: %w", err)
	}
	at := map[string]string{}
	for _, it := range list {
		var e record.Endpoint
		if err := json.Unmarshal(it.Value, &e); err != nil {
			return err
		}
		id, place := e.ID.String(), e.ID.Network.String()+" "+e.IP.String()
		if other := at[place]; other != "" {
			return fmt.Errorf("%s is of %s and of %s", place, other, id)
		}
		at[place] = id
		if want, is := late[id]; is && want != e.IP.String() {
			return fmt.Errorf("%s had address %s, and has %s", id, want, e.IP)
		}
		delete(late, id)
	}
	if want := w.endpoints + drillLate + 1; len(late) > 0 || len(list) != want {
		return fmt.Errorf("got %d endpoints, want %d; %d of those that the snapshot lacks are lost", len(list), want, len(late))
	}
	return nil
}
