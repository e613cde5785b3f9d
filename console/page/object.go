// SPDX-License-Identifier: Apache-2.0

package page

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
)

// object is an object of any kind, or an endpoint.
type object interface{ Field(name string) any }

// identified is the objects of one Go type.
type identified interface {
	comparable
	object
}

// keyOf is an object's key.
func keyOf(o object) string {
	if e, ok := o.(*feed.Endpoint); ok {
		return e.Key
	}
	return o.(model.Object).ObjectKey()
}

// all are the objects of a kind.
func all(s *feed.Snapshot, k *model.Kind) []object {
	if k == model.KindEndpoint() {
		return objectsOf(s.Endpoints)
	}
	return objectsOf(s.Objects[k.Name])
}

func objectsOf[T object](list []T) []object {
	out := make([]object, len(list))
	for i, o := range list {
		out[i] = o
	}
	return out
}

// amount is how many objects of a kind there are.
func amount(s *feed.Snapshot, k *model.Kind) int {
	if k == model.KindEndpoint() {
		return len(s.Endpoints)
	}
	return len(s.Objects[k.Name])
}

// views are what may be seen of an object besides its row; the names are those of paths.
func views() []string {
	return []string{"describe", "yaml", "history", "topology", "address", "flows", "why", "packets"}
}

// viewOf is a view of an endpoint or another object; nil: it has no such view.
func viewOf(o object, view string) *Page {
	if e, ok := o.(*feed.Endpoint); ok {
		switch view {
		case "address":
			return addressMapAt(e.NetworkKey(), firstAddress(e))
		case "flows":
			return endpointFlows(e)
		case "why":
			return Why(endpointEnd(e.Key), "", "")
		case "packets":
			return Capture(endpointEnd(e.Key))
		}
		return viewByKey(model.KindEndpoint(), e.Key, view)
	}
	x := o.(model.Object)
	return viewByKey(x.Kind(), x.ObjectKey(), view)
}

// viewByKey is a view of an object that is named, whether there or not.
func viewByKey(k *model.Kind, key, view string) *Page {
	switch view {
	case "", "describe":
		return Description(k, key)
	case "yaml":
		return YAML(k, key)
	case "history":
		return History(k, key)
	case "topology":
		return Topology(k, key)
	case "address":
		if k == model.KindNetwork() {
			return addressMap(key)
		}
	}
	return nil
}
