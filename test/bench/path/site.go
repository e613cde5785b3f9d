// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/trust"
)

// site is a lab with containers of one group: two on h1, one on h2 if there is one.
type site struct {
	lab    *lab.Lab
	hosts  []string
	api    client.Client
	agents *http.Client      // asks as a netmaster does
	ips    map[string]string // of containers
}

// The objects that the site has.
const (
	tenant = "default"
	policy = "bench"
	group  = "web"
)

// newSite is a lab before it has anything.
func newSite(l *lab.Lab) (*site, error) {
	api, err := l.Client()
	if err != nil {
		return nil, err
	}
	agents, err := l.HTTP(trust.Master)
	if err != nil {
		return nil, err
	}
	s := &site{lab: l, agents: agents, api: *api, ips: map[string]string{}}
	for i := range l.Hosts {
		s.hosts = append(s.hosts, fmt.Sprint("h", i+1))
	}
	return s, nil
}

// settle makes the objects and the containers.
func (s *site) settle(ctx context.Context) error {
	for _, o := range []model.Object{
		&model.Network{TenantName: tenant, NetworkName: "blue", Encap: "vxlan", Subnet: "10.1.1.0/24", Gateway: "10.1.1.254"},
		&model.Policy{TenantName: tenant, PolicyName: policy},
		&model.EndpointGroup{TenantName: tenant, NetworkName: "blue", GroupName: group, Policies: []string{policy}},
		&model.Rule{TenantName: tenant, PolicyName: policy, RuleId: "first", Direction: "in", Protocol: "tcp", Port: 1, Action: "deny", Priority: 1},
	} {
		if _, err := s.api.Put(ctx, o); err != nil {
			return err
		}
	}
	for name, host := range map[string]string{"a": "h1", "b": "h1", "c": "h2"} {
		if !slices.Contains(s.hosts, host) {
			continue
		}
		c, err := s.lab.Attach(ctx, lab.Container{Name: name, Host: host, Tenant: tenant, Network: "blue", Group: group})
		if err != nil {
			return err
		}
		ip, err := c.IPv(4)
		if err != nil {
			return err
		}
		s.ips[name] = ip.String()
	}
	return nil
}

// url is where a host serves at a port of the management network.
func (s *site) url(host string, port int) string {
	return fmt.Sprintf("https://10.254.%d.%s:%d", s.lab.Number, strings.TrimPrefix(host, "h"), port)
}

// passed waits until the switches of all hosts have a revision past their barriers, and returns when the
// last one had: the hosts of a lab have one clock.
func (s *site) passed(ctx context.Context, revision client.Revision) (time.Time, error) {
	all, ctx := errgroup.WithContext(ctx)
	at := make([]time.Time, len(s.hosts))
	for i, host := range s.hosts {
		all.Go(func() error {
			for {
				var now model.AgentStatus
				if err := s.get(ctx, fmt.Sprintf("%s/status?revision=%d", s.url(host, 9090), revision), &now); err != nil {
					return err
				}
				if now.Revision >= uint64(revision) {
					var err error
					at[i], err = time.Parse(time.RFC3339Nano, now.At)
					return err
				}
			}
		})
	}
	if err := all.Wait(); err != nil {
		return time.Time{}, err
	}
	return slices.MaxFunc(at, time.Time.Compare), nil
}

func (s *site) get(ctx context.Context, url string, out any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := s.agents.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(out)
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
