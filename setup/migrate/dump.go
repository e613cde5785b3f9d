// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/contiv/contiv/identity"
)

// Keys of the original in its store.
const (
	objectsKey  = "/contiv.io/obj/modeldb/"
	networksKey = "/contiv.io/state/nets/"
	endpointKey = "/contiv.io/state/eps/"
	agentsKey   = "/contiv.io/service/netplugin/"
	proxyKey    = "/auth_proxy/"
)

// node is a key of etcd's second API, with those below it.
type node struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Nodes []node `json:"nodes"`
}

// maxDepth bounds the directories of a dump, one below the other.
const maxDepth = 32

// ReadDump reads a cluster from a dump of its etcd: the answer to GET /v2/keys/?recursive=true. It fails if the dump has no object of the
// original.
func ReadDump(from io.Reader) (*Original, error) {
	text, err := io.ReadAll(io.LimitReader(from, maxAnswer+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxAnswer:
		return nil, fmt.Errorf("the dump is longer than %d bytes", maxAnswer)
	}
	var dump struct {
		Node *node `json:"node"`
	}
	if err := json.Unmarshal(text, &dump); err != nil {
		return nil, fmt.Errorf("this is not the answer of an etcd to GET /v2/keys/?recursive=true: %w", err)
	}
	if dump.Node == nil {
		return nil, errors.New("this is not the answer of an etcd to GET /v2/keys/?recursive=true: it has no member node")
	}
	o := &Original{Objects: map[string][]json.RawMessage{}, Tags: map[identity.Network]int{}}
	var states []node
	if err := o.walk(dump.Node, 0, func(n *node) { states = append(states, *n) }); err != nil {
		return nil, err
	}
	if len(o.Objects) == 0 {
		return nil, fmt.Errorf("the dump has no key below %s: dump the etcd of the original's netmaster, all keys of it", objectsKey)
	}
	for i := range states { // once all networks are known
		if err := o.state(&states[i]); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// walk adds the objects at and below a key, and calls other for each other key with a value.
func (o *Original) walk(n *node, depth int, other func(*node)) error {
	if depth > maxDepth {
		return fmt.Errorf("the dump has more than %d directories, one below the other", maxDepth)
	}
	for i := range n.Nodes {
		if err := o.walk(&n.Nodes[i], depth+1, other); err != nil {
			return err
		}
	}
	rest, isObject := strings.CutPrefix(n.Key, objectsKey)
	kind := path.Dir(rest)
	switch {
	case n.Value == "":
	case !isObject:
		other(n)
	case kind == "." || !json.Valid([]byte(n.Value)):
		return fmt.Errorf("key %.200q: its value is not an object", n.Key)
	default:
		o.Objects[kind] = append(o.Objects[kind], json.RawMessage(n.Value))
	}
	return nil
}

// state adds what a key of the original's state says about networks, containers and hosts.
func (o *Original) state(n *node) error {
	switch {
	case strings.HasPrefix(n.Key, networksKey):
		var v struct {
			Tenant, NetworkName, PktTagType string
			PktTag                          int
		}
		if err := json.Unmarshal([]byte(n.Value), &v); err != nil {
			return fmt.Errorf("key %.200q: %w", n.Key, err)
		}
		if v.PktTagType == "vlan" && v.PktTag != 0 {
			o.Tags[identity.Network{Tenant: v.Tenant, Name: v.NetworkName}] = v.PktTag
		}
	case strings.HasPrefix(n.Key, endpointKey):
		var v struct{ NetID, EndpointID, IPAddress, HomingHost, EPCommonName, ContainerID string }
		if err := json.Unmarshal([]byte(n.Value), &v); err != nil {
			return fmt.Errorf("key %.200q: %w", n.Key, err)
		}
		o.Endpoints = append(o.Endpoints, Endpoint{Network: o.network(v.NetID), Container: first(v.EPCommonName, v.ContainerID, v.EndpointID), Host: v.HomingHost, Address: v.IPAddress})
	case strings.HasPrefix(n.Key, agentsKey):
		var v struct{ Hostname string }
		if err := json.Unmarshal([]byte(n.Value), &v); err != nil {
			return fmt.Errorf("key %.200q: %w", n.Key, err)
		}
		o.Hosts = append(o.Hosts, v.Hostname)
	case strings.HasPrefix(n.Key, proxyKey):
		o.Accounts++
	}
	return nil
}
