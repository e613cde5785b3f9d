package dockerd

import (
	"reflect"
	"time"
)

// State is what is known of an engine.
type State struct {
	// Here says that the engine answers; Why is the reason when it does not.
	Here bool
	Why  string
	// Since is since when the one or the other is so.
	Since    time.Time
	Identity Identity // of the engine as last heard
	// Containers are those that run, by id; those that were last known while the engine is away.
	Containers map[string]Container
	// Complete says that Containers are all that run.
	Complete bool
	// Networks counts events about networks: it is another number when they may have changed.
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

// same says that two containers are alike.
func same(a, b Container) bool { return reflect.DeepEqual(a, b) }
