package oper

import (
	"github.com/contiv/contiv/daemon/record"
)

// Field is a field of what Endpoint returns, by its JSON name. Those that lists are narrowed by most are found without the others.
func Field(e *record.Endpoint, name string) any {
	switch name {
	case "homingHost":
		return e.Host
	case "network":
		return record.Dotted(e.ID.Network)
	case "endpointGroupKey":
		return record.Reversed(e.Group)
	}
	o := Endpoint(e)
	return o.Field(name)
}
