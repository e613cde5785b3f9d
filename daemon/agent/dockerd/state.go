// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"reflect"
	"time"
)

// State is the known state of an engine.
type State struct {
	// Here reports whether the engine answers; Why is the reason if it does not.
	Here bool
	Why  string
	// Since is the time of the last change of Here.
	Since    time.Time
	Identity Identity // of the engine, as last read
	// Containers are the running ones, by id; while the engine is away, the last known ones.
	Containers map[string]Container
	// Complete means that Containers has all running ones.
	Complete bool
	// Networks counts events about networks: the number changes if they may have changed.
	Networks uint64
}

// Owners are the containers of endpoints.
func (s *State) Owners() map[string]Owner {
	out := map[string]Owner{}
	for _, c := range s.Containers {
		for _, i := range c.Interfaces {
			out[i.Endpoint] = Owner{c, i}
		}
	}
	return out
}

// Owner is the container of an endpoint, and the interface that the endpoint is.
type Owner struct {
	Container Container
	Interface Interface
}

// same reports whether two containers are equal.
func same(a, b Container) bool { return reflect.DeepEqual(a, b) }
