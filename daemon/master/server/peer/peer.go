// SPDX-License-Identifier: Apache-2.0

// Package peer reaches the other daemons of the cluster, agents and netmasters, and passes on what agents show of themselves.
package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
)

// Limit is how long a daemon may take to report its state.
const Limit = time.Second

// Peers are the daemons that are registered. Its methods are safe for concurrent use.
type Peers struct {
	catalog   *catalog.Catalog
	transport Transport
	turns     *turns
}

// New returns the Peers that are registered in known, reached by transport.
func New(known *catalog.Catalog, transport Transport) *Peers {
	return &Peers{known, transport.Straight(), newTurns()}
}

// Ask gets a JSON document from the agent at an address "host:port", which is asked one question at a time, within Limit. It blocks until then.
func (p *Peers) Ask(ctx context.Context, agent, path string, out any) error {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	leave, err := p.turns.acquire(ctx, agent)
	if err != nil {
		return fmt.Errorf("is still answering others: %w", err)
	}
	defer leave()
	return p.get(ctx, p.transport.Agents, agent, path, out)
}

// Get gets a JSON document from the netmaster at an address "host:port" within Limit. It blocks until then.
func (p *Peers) Get(ctx context.Context, address, path string, out any) error {
	return p.get(ctx, p.transport.HTTP, address, path, out)
}

func (p *Peers) get(ctx context.Context, by *http.Client, address, path string, out any) error {
	url := p.transport.URL(address, path)
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	q.Header.Set("Accept", "application/json")
	answer, err := by.Do(q)
	if err != nil {
		return fmt.Errorf("did not answer: %w", errors.Unwrap(err))
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, answer.Status)
	}
	return json.NewDecoder(io.LimitReader(answer.Body, 16<<20)).Decode(out)
}

// hosts are the labels of all hosts, in order.
func (p *Peers) hosts() (out []string) {
	p.catalog.View(func(v *catalog.View) {
		for _, h := range v.Hosts() {
			out = append(out, h.Label)
		}
	})
	slices.Sort(out)
	return out
}

// Masters lists the addresses "host:port" of the registered netmasters.
func (p *Peers) Masters() (out []string) {
	p.catalog.View(func(v *catalog.View) {
		for _, m := range v.Services(record.ServiceMaster) {
			out = append(out, Address(m))
		}
	})
	return out
}

// Agent is the address "host:port" of a host's agent; "": none runs there.
func (p *Peers) Agent(host string) (address string) {
	p.catalog.View(func(v *catalog.View) {
		if h := v.Host(host); h != nil && v.Running(host) && h.Control.IsValid() {
			address = h.Control.String()
		}
	})
	return address
}

// Address is where a registered daemon listens, "host:port".
func Address(s record.Service) string { return net.JoinHostPort(s.HostAddr, strconv.Itoa(s.Port)) }

// Host is the host of an address "host:port".
func Host(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return host
}
