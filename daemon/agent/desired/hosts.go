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

// putHost takes over which machine a host is.
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

// delHost notes that no machine is the host any more. Where it was stays known as long as it has endpoints.
func (r *records) delHost(label string) {
	r.machines.Delete(label)
	if endpointsOfHost.In(r.endpoints, label).Len() == 0 {
		r.hosts.Delete(label)
	}
}

// readMaster reads where a netmaster serves.
func readMaster(_ *records, s *record.Service) (string, error) {
	name := strings.TrimPrefix(s.Key(), record.Services+record.ServiceMaster+"/")
	if s.HostAddr == "" || s.Port < 1 || s.Port > 65535 {
		return name, errors.New("it has no address and port")
	}
	return name, nil
}

// Hosts returns this host, and after it all others that are known, ordered by label.
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

// Machines returns the machines that are hosts, ordered by label. They are not to be changed.
func (e *Engine) Machines() []*record.Host {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.SortedFunc(e.records.machines.Values(), func(a, b *record.Host) int { return strings.Compare(a.Label, b.Label) })
}

// Masters returns the netmasters that there are, the leader first, then ordered by where they serve.
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

// follows is 0 of a leader, and 1 of others.
func follows(m record.Service) int {
	if m.Role == record.RoleLeader {
		return 0
	}
	return 1
}
