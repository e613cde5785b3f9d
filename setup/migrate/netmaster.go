// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/contiv/contiv/identity"
)

// maxAnswer bounds an answer of a netmaster, in bytes.
const maxAnswer = 256 << 20

// ReadNetmaster reads a cluster from a netmaster of the original, such as http://192.0.2.1:9999. It only sends GET requests, and blocks until
// all have been answered.
func ReadNetmaster(ctx context.Context, base string, with *http.Client) (*Original, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("netmaster: got %q, want a URL such as http://192.0.2.1:9999", base)
	}
	m := &netmaster{strings.TrimSuffix(base, "/"), with}
	o := &Original{Objects: map[string][]json.RawMessage{}, Tags: map[identity.Network]int{}}
	for _, k := range kinds() {
		var list []json.RawMessage
		if err := m.get(ctx, "/api/v1/"+k.Plural+"/", &list); err != nil {
			return nil, err
		}
		o.Objects[k.Name] = list
	}
	for _, text := range o.Objects["network"] {
		if err := m.network(ctx, o, text); err != nil {
			return nil, err
		}
	}
	return o, nil
}

type netmaster struct {
	base string
	with *http.Client
}

// network adds the tag and the endpoints of a network.
func (m *netmaster) network(ctx context.Context, o *Original, text json.RawMessage) error {
	var n struct{ TenantName, NetworkName, Encap string }
	if err := json.Unmarshal(text, &n); err != nil {
		return fmt.Errorf("network %.80s: %w", text, err)
	}
	id := identity.Network{Tenant: n.TenantName, Name: n.NetworkName}
	var inspected struct {
		Oper struct {
			PktTag    int
			Endpoints []struct {
				ContainerName, ContainerID, EndpointID, HomingHost string
				IPAddress                                          []string
			}
		}
	}
	if err := m.get(ctx, "/api/v1/inspect/networks/"+url.PathEscape(id.String())+"/", &inspected); err != nil {
		return err
	}
	if strings.EqualFold(n.Encap, "vlan") && inspected.Oper.PktTag != 0 {
		o.Tags[id] = inspected.Oper.PktTag
	}
	for _, e := range inspected.Oper.Endpoints {
		one := Endpoint{Network: id, Container: first(e.ContainerName, e.ContainerID, e.EndpointID), Host: e.HomingHost}
		if len(e.IPAddress) > 0 {
			one.Address = e.IPAddress[0]
		}
		o.Endpoints = append(o.Endpoints, one)
	}
	return nil
}

// first returns the first text that is not empty.
func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// get reads an answer. The original answers every error with 500 and a text.
func (m *netmaster) get(ctx context.Context, path string, v any) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, m.base+path, nil)
	if err != nil {
		return err
	}
	answer, err := m.with.Do(q)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return fmt.Errorf("GET %s: %w", q.URL, err)
	case len(text) > maxAnswer:
		return fmt.Errorf("GET %s: the answer is longer than %d bytes", q.URL, maxAnswer)
	case answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden:
		return fmt.Errorf("GET %s: %s: this is the auth proxy; name the netmaster behind it, by default at port 9999", q.URL, answer.Status)
	case answer.StatusCode != http.StatusOK:
		return fmt.Errorf("GET %s: %s: %s", q.URL, answer.Status, line(text))
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("GET %s: %w: this is not a netmaster", q.URL, err)
	}
	return nil
}

// line returns the first line of an answer, shortened: the original adds where in its source an error arose.
func line(text []byte) string {
	s, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return fmt.Sprintf("%.200q", s)
}
