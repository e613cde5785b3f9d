// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/dockernet"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet/link"
)

// world is a netmaster's engines, and what the agents of its hosts have attached.
type world struct {
	*enginetest.World
	docknets *dockernet.Service
	now      time.Time

	mu        sync.Mutex
	attached  map[string]attach.Result // by the container's id
	fail      error                    // of the next attachment, once netmaster has made the endpoint
	away      error                    // of what netmaster is asked to detach
	published map[string]string        // mappings by endpoint
}

func newWorld(tb testing.TB, lines ...string) *world {
	tb.Helper()
	w := &world{now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), attached: map[string]attach.Result{}, published: map[string]string{}}
	w.World = enginetest.Start(tb, enginetest.Options{ClusterMode: "docker", Now: func() time.Time { return w.now }})
	w.docknets = dockernet.New(w.Commit, w.Admit, w.Catalog)
	w.Must(tb, lines...)
	return w
}

// driver is the driver of a host, whose agent has just started.
func (w *world) driver(host string) *Driver {
	return New(Options{Host: host, Attacher: agent{w, host}, Master: w, Networks: agent{w, host}, Publisher: w, Starting: func() []string { return nil },
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return w.now }})
}

func (w *world) Accept(_ context.Context, endpoint string, wishes []link.PortWish) error {
	var words []string
	for _, m := range wishes {
		word := m.String()
		if m.Last != m.Host.Port() {
			word += fmt.Sprintf(" up to %d", m.Last)
		}
		words = append(words, word)
	}
	w.published[endpoint] = strings.Join(words, ",")
	return nil
}

func (w *world) Unpublish(_ context.Context, endpoint string) error {
	delete(w.published, endpoint)
	return nil
}

func (w *world) DockerPool(_ context.Context, q model.DockerPoolRequest) (model.DockerPoolResponse, error) {
	return w.docknets.Pool(q)
}

func (w *world) CreateDockerNetwork(ctx context.Context, q model.DockerNetworkRequest) (record.DockerNetwork, error) {
	d, _, err := w.docknets.Create(ctx, q)
	return d, err
}

func (w *world) DeleteDockerNetwork(ctx context.Context, q model.DockerNetworkRemoval) error {
	_, err := w.docknets.Delete(ctx, q)
	return err
}

func (w *world) AllocAddress(ctx context.Context, q model.AllocAddressRequest) (model.AllocAddressResponse, error) {
	return w.Service.Allocate(ctx, q)
}

func (w *world) ReleaseAddress(ctx context.Context, q model.ReleaseAddressRequest) error {
	return w.Service.Release(ctx, q)
}

// agent is what the driver has of the agent of a host.
type agent struct {
	*world
	host string
}

func (a agent) DockerNetwork(_ context.Context, id string) (d record.DockerNetwork, err error) {
	a.Catalog.View(func(v *catalog.View) {
		known := v.DockerNetwork(id)
		if known == nil || known.Host != "" && known.Host != a.host {
			err = errors.New("it is not known which network that is")
			return
		}
		d = *known
	})
	return d, err
}

func (a agent) Attach(ctx context.Context, r attach.Request) (attach.Result, error) {
	e, _, err := a.Service.Create(ctx, model.CreateEndpointRequest{TenantName: r.Tenant, NetworkName: r.Network, ServiceName: r.Group, EndpointID: r.ContainerID,
		ContainerID: r.ContainerID, DockerNetwork: r.DockerNetwork, ConfigEP: model.EndpointConfigRequest{Container: r.ContainerID, Host: a.host, IPAddress: r.IPv4, IPv6Address: r.IPv6,
			ServiceName: r.Group, MacAddress: r.MAC, Tokens: r.Tokens}})
	if err != nil {
		return attach.Result{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if failed := a.fail; failed != nil {
		a.fail = nil
		_, _, err := a.Service.Delete(ctx, model.DeleteEndpointRequest{TenantName: r.Tenant, NetworkName: r.Network, EndpointID: r.ContainerID})
		return attach.Result{}, errors.Join(failed, err)
	}
	var n record.Network
	a.Catalog.View(func(v *catalog.View) { n = *v.Network(e.ID.Network).Record })
	res := attach.Result{Endpoint: e, Network: n, HostName: "vvx", FarName: "vfx", MAC: e.MAC[:], MTU: 1450, OFPort: 7, Owner: r.Owner,
		Addrs: []netip.Prefix{netip.PrefixFrom(e.IP, n.Subnet.Bits())}, Gateways: []netip.Addr{n.Gateway}}
	if e.IP6.IsValid() {
		res.Addrs, res.Gateways = append(res.Addrs, netip.PrefixFrom(e.IP6, n.Subnet6.Bits())), append(res.Gateways, n.Gateway6)
	}
	a.attached[r.ContainerID] = res
	return res, nil
}

func (a agent) Detach(ctx context.Context, container, _ string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	res, ok := a.attached[container]
	if !ok || a.away != nil {
		return a.away
	}
	delete(a.attached, container)
	id := res.Endpoint.ID
	_, _, err := a.Service.Delete(ctx, model.DeleteEndpointRequest{TenantName: id.Tenant, NetworkName: id.Name, EndpointID: id.Endpoint})
	return err
}

func (a agent) Find(_ context.Context, container, _ string) (attach.Result, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	res, ok := a.attached[container]
	if !ok {
		return res, fmt.Errorf("%w: %s", attach.ErrUnknown, container)
	}
	return res, nil
}

func (a agent) List() []attach.Attachment { return nil }

// call is what an engine does: it sends a request, and reads the answer into out. It returns the driver's error.
func call(tb testing.TB, d *Driver, method string, q, out any) error {
	tb.Helper()
	body, err := json.Marshal(q)
	if err != nil {
		tb.Fatal(err)
	}
	w := httptest.NewRecorder()
	d.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/"+method, bytes.NewReader(body)))
	var failed failure
	switch {
	case w.Code == http.StatusInternalServerError:
		one := json.NewDecoder(w.Body)
		if err := one.Decode(&failed); err != nil || failed.Err == "" || one.More() {
			tb.Fatalf("%s: the failure is no error once: %v %s", method, err, w.Body)
		}
		return errors.New(failed.Err)
	case w.Code != http.StatusOK:
		return fmt.Errorf("status %d: %s", w.Code, strings.TrimSpace(w.Body.String()))
	}
	if err := json.Unmarshal(w.Body.Bytes(), out); err != nil {
		tb.Fatalf("%s: %v: %s", method, err, w.Body)
	}
	return nil
}

// created makes a Docker network as an engine does, and returns its pools, of IPv4 and perhaps of IPv6.
func created(tb testing.TB, d *Driver, id string, options map[string]string, six bool) (pools []string, err error) {
	tb.Helper()
	q := networkRequest{NetworkID: id, Options: map[string]any{keyGeneric: map[string]any{}}}
	families := []bool{false}
	if six {
		families = append(families, true)
	}
	for _, v6 := range families {
		var p requestPoolResponse
		if err := call(tb, d, "IpamDriver.RequestPool", requestPoolRequest{AddressSpace: addressSpace, Options: options, V6: v6}, &p); err != nil {
			return nil, err
		}
		gateway := p.Data[keyGateway]
		if gateway == "" {
			var a requestAddressResponse
			if err := call(tb, d, "IpamDriver.RequestAddress", requestAddressRequest{PoolID: p.PoolID, Options: map[string]string{keyAddressType: typeGateway}}, &a); err != nil {
				return nil, err
			}
			gateway = a.Address
		}
		data := ipamData{AddressSpace: addressSpace, Pool: p.Pool, Gateway: gateway}
		if pools = append(pools, p.PoolID); v6 {
			q.IPv6Data = append(q.IPv6Data, data)
		} else {
			q.IPv4Data = append(q.IPv4Data, data)
		}
	}
	return pools, call(tb, d, "NetworkDriver.CreateNetwork", q, &empty{})
}

// held are the addresses that are held, with their tokens.
func (w *world) held() map[string]string {
	out := map[string]string{}
	w.Catalog.View(func(v *catalog.View) {
		for _, h := range v.Holds() {
			out[h.Address.String()] = h.Token
		}
	})
	return out
}
