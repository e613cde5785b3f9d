// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

func createService(tx *commit.Tx, s *model.ServiceLB) error {
	r, n, err := serviceRecord(tx, s)
	if err != nil {
		return err
	}
	if r.IP, err = virtualAddress(tx, n, s.IpAddress); err != nil {
		return err
	}
	return putService(tx, r)
}

// updateService recreates the service with its address.
func updateService(tx *commit.Tx, old, s *model.ServiceLB) error {
	if s.NetworkName != old.NetworkName {
		return model.Errorf(model.CodeImmutable, "networkName", "Cannot change network association after service is created.").
			Try("service %s has an address of network %s; delete the service and create it again", s.ServiceName, old.NetworkName)
	}
	r, n, err := serviceRecord(tx, s)
	if err != nil {
		return err
	}
	have := tx.ServiceLB(r.ID)
	if have == nil {
		if r.IP, err = virtualAddress(tx, n, s.IpAddress); err != nil {
			return err
		}
		return putService(tx, r)
	}
	if slices.Equal(r.Ports, have.Ports) && maps.Equal(r.Selectors, have.Selectors) && r.Affinity == have.Affinity {
		return nil
	}
	r.IP = have.IP
	return putService(tx, r)
}

func removeService(tx *commit.Tx, s *model.ServiceLB) error {
	id := s.Identity().String()
	tx.Delete(record.ServiceLBs + id)
	tx.Delete(record.Providers + id)
	return nil
}

// serviceRecord checks a service and returns its record, without the address.
func serviceRecord(tx *commit.Tx, s *model.ServiceLB) (*record.ServiceLB, *catalog.Network, error) {
	r, err := ServiceRecord(s)
	if err != nil {
		return nil, nil, err
	}
	if err := tenantOf(tx, s.TenantName); err != nil {
		return nil, nil, err
	}
	n := tx.Network(r.Network)
	if n == nil || !n.Gives4() {
		return nil, nil, model.Errorf(model.CodeNotFound, "networkName", "Network %s not found", s.NetworkName).
			Try("create it with netctl network create --tenant %s --subnet ADDRESS/LENGTH %s", s.TenantName, s.NetworkName)
	}
	return r, n, nil
}

// ServiceRecord returns a service's record without its address. Errors are *model.Error, and name the field.
func ServiceRecord(s *model.ServiceLB) (*record.ServiceLB, error) {
	if len(s.Selectors) == 0 {
		return nil, model.Errorf(model.CodeInvalid, "selectors", "Invalid selectors: none given").Try("selectors takes at least one key=value")
	}
	r := &record.ServiceLB{ID: s.Identity(), Network: identity.Network{Tenant: s.TenantName, Name: s.NetworkName}}
	if s.Affinity == record.AffinityNone {
		r.Affinity = record.AffinityNone
	}
	var err error
	if r.Ports, err = parsePorts(s.Ports); err != nil {
		return nil, err
	}
	r.Selectors, err = parseSelectors(s.Selectors)
	return r, err
}

// parsePorts checks every "servicePort:providerPort:protocol" and writes the protocols in capitals.
func parsePorts(list []string) ([]string, error) {
	refuse := func(what string) error {
		return model.Errorf(model.CodeInvalid, "ports", "Invalid port format: %s", what).
			Try("ports takes servicePort:providerPort:protocol with ports within 1-65535 and the protocol TCP or UDP, for example 80:8080:TCP")
	}
	if len(list) == 0 {
		return nil, refuse("none given")
	}
	out, seen := make([]string, len(list)), map[string]bool{}
	for i, text := range list {
		parts := strings.Split(text, ":")
		if len(parts) != 3 {
			return nil, refuse(text)
		}
		for _, p := range parts[:2] {
			if n, err := strconv.ParseUint(p, 10, 16); err != nil || n == 0 {
				return nil, refuse(text)
			}
		}
		if !slices.Contains([]string{"TCP", "tcp", "Tcp", "UDP", "udp", "Udp"}, parts[2]) {
			return nil, refuse(text)
		}
		protocol := strings.ToUpper(parts[2])
		if key := parts[0] + ":" + protocol; seen[key] {
			return nil, refuse(fmt.Sprintf("port %s of %s is given twice", parts[0], protocol))
		} else {
			seen[key] = true
		}
		out[i] = parts[0] + ":" + parts[1] + ":" + protocol
	}
	return out, nil
}

// parseSelectors reads every "key=value".
func parseSelectors(list []string) (map[string]string, error) {
	out := make(map[string]string, len(list))
	for _, text := range list {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" || strings.Contains(value, "=") {
			return nil, model.Errorf(model.CodeInvalid, "selectors", "Invalid selector: %s", text).Try("a selector is key=value, with one equals sign")
		}
		if before, given := out[key]; given && before != value {
			return nil, model.Errorf(model.CodeInvalid, "selectors", "Invalid selector: %s", text).
				Try("%s cannot be both %s and %s; leave one out", key, before, value)
		}
		out[key] = value
	}
	return out, nil
}

// virtualAddress returns the requested address of a network, or the next free one.
func virtualAddress(tx *commit.Tx, n *catalog.Network, wanted string) (netip.Addr, error) {
	own, _ := n.Pool4()
	if wanted == "" {
		a, err := n.Next4(identity.Group{})
		if err == nil {
			return a, nil
		}
		if a, ok := tx.EndOldestQuarantine(n, own.Contains); ok {
			return a, nil
		}
		return a, n.Exhausted(n.Record.ID.String(), err)
	}
	a, err := netip.ParseAddr(wanted)
	if err != nil {
		return a, model.Errorf(model.CodeInvalid, "ipAddress", "%q is not an IP address", wanted)
	}
	if err := own.Check(a); err != nil {
		return a, n.Unavailable("ipAddress", a, err)
	}
	return a, nil
}

// putService writes a service and its current providers.
func putService(tx *commit.Tx, r *record.ServiceLB) error {
	if err := tx.Put(record.ServiceLBs+r.ID.String(), r); err != nil {
		return err
	}
	list := &record.Provider{ID: r.ID, Addresses: []netip.Addr{}}
	for _, e := range tx.ProvidersOf(r) {
		list.Addresses = append(list.Addresses, e.IP)
	}
	slices.SortFunc(list.Addresses, netip.Addr.Compare)
	list.Addresses = slices.Compact(list.Addresses)
	return tx.Put(record.Providers+r.ID.String(), list)
}
