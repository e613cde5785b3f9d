package catalog

import (
	"fmt"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
)

func (v *View) putEndpoint(e *record.Endpoint) error {
	old, m := v.endpoints[e.ID], &Member{Endpoint: e}
	v.endpoints[e.ID] = m
	v.ordered.put(m)
	n := v.networks[e.NetID]
	if old != nil {
		v.unindex(old.Endpoint, n)
		if n != nil && old.IPAddress != e.IPAddress {
			n.release(old.EndpointGroupKey, old.IPAddress, ownerOf(old.Endpoint))
		}
		if n != nil && old.IPv6Address != e.IPv6Address {
			n.release(old.EndpointGroupKey, old.IPv6Address, ownerOf(old.Endpoint))
		}
	}
	if e.EndpointGroupKey != "" {
		if v.byGroup[e.EndpointGroupKey] == nil {
			v.byGroup[e.EndpointGroupKey] = set{}
		}
		v.byGroup[e.EndpointGroupKey][e.ID] = struct{}{}
	}
	v.touch(model.KindEndpoint().Name, e.ID)
	if n == nil {
		v.homeless[e.NetID] = struct{}{}
		return fmt.Errorf("network %s is unknown", e.NetID)
	}
	n.endpoints.put(m)
	for _, address := range []string{e.IPAddress, e.IPv6Address} {
		if address == "" {
			continue
		}
		if err := n.take(e.EndpointGroupKey, address, ownerOf(e)); err != nil && ignoreTaken(err) != nil {
			return err
		}
	}
	return nil
}

func (v *View) dropEndpoint(key string) {
	id := strings.TrimPrefix(key, record.Endpoints)
	e := v.Endpoint(id)
	if e == nil {
		return
	}
	delete(v.endpoints, id)
	v.ordered.remove(id)
	n := v.networks[e.NetID]
	v.unindex(e, n)
	v.touch(model.KindEndpoint().Name, id)
	if n != nil {
		n.release(e.EndpointGroupKey, e.IPAddress, ownerOf(e))
		n.release(e.EndpointGroupKey, e.IPv6Address, ownerOf(e))
	}
}

func (v *View) unindex(e *record.Endpoint, n *Network) {
	delete(v.byGroup[e.EndpointGroupKey], e.ID)
	if n != nil {
		n.endpoints.remove(e.ID)
	}
}

// ownerOf is how an endpoint appears as the owner of an address.
func ownerOf(e *record.Endpoint) string { return "endpoint " + e.ID }
