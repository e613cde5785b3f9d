// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

// putHost applies the record of a host.
func (r *records) putHost(label string, item channel.Item) error {
	h := new(record.Host)
	if err := json.Unmarshal(item.Value, h); err != nil {
		return err
	}
	if h.Label != label {
		return fmt.Errorf("it calls itself %q", h.Label)
	}
	if field, why := h.Wrong(); field != "" {
		return fmt.Errorf("%s: %s", field, why)
	}
	r.machines.Set(label, h)
	r.hosts.Set(label, &ofnet.Host{Label: label, VTEP: h.VTEP, Node4: h.Node4, Node6: h.Node6, UplinkMAC: ofnet.MAC(h.UplinkMAC)})
	return nil
}

// delHost removes the machine of a host. Its address stays known as long as it has endpoints.
func (r *records) delHost(label string) {
	r.machines.Delete(label)
	if endpointsOfHost.In(r.endpoints, label).Len() == 0 {
		r.hosts.Delete(label)
	}
}

// readMaster returns the address of a netmaster.
func readMaster(_ *records, s *record.Service) (string, error) {
	name := strings.TrimPrefix(s.Key(), record.Services+record.ServiceMaster+"/")
	if s.HostAddr == "" || s.Port < 1 || s.Port > 65535 {
		return name, errors.New("it has no address and port")
	}
	return name, nil
}

// Hosts returns this host, followed by all other known hosts, ordered by label.
func (e *Engine) Hosts() []ofnet.Host {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := []ofnet.Host{e.Self}
	for h := range e.records.hosts.Values() {
		if h.Label != e.Self.Label {
			out = append(out, *h)
		}
	}
	slices.SortFunc(out[1:], func(a, b ofnet.Host) int { return strings.Compare(a.Label, b.Label) })
	return out
}

// Machines returns the machines that are hosts, ordered by label. The caller must not change them.
func (e *Engine) Machines() []*record.Host {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.SortedFunc(e.records.machines.Values(), func(a, b *record.Host) int { return strings.Compare(a.Label, b.Label) })
}

// Masters returns the netmasters, the leader first, then ordered by address.
func (e *Engine) Masters() []record.Service {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []record.Service
	for m := range e.records.masters.Values() {
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b record.Service) int { return strings.Compare(a.Key(), b.Key()) })
	slices.SortStableFunc(out, func(a, b record.Service) int { return follows(a) - follows(b) })
	return out
}

// follows returns 0 for a leader, and 1 for others.
func follows(m record.Service) int {
	if m.Role == record.RoleLeader {
		return 0
	}
	return 1
}
