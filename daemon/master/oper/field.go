package oper

import (
	"github.com/contiv/contiv/daemon/record"
)

// Field returns a field of Endpoint's result, by its JSON name. It computes the fields by which lists are usually filtered without the
// others, which take many times as long.
func Field(e *record.Endpoint, name string) any {
	switch name {
	case "homingHost":
		return e.Host
	case "network":
		return record.Dotted(e.ID.Network)
	case "endpointGroupKey":
		return record.Reversed(e.Group)
	case "endpointID":
		return e.ID.Endpoint
	case "containerName":
		return e.CommonName
	case "ipAddress":
		return []string{record.Text(e.IP), record.Text(e.IP6)}
	case "macAddress":
		return e.MAC.String()
	case "pod":
		return PodName(e.Pod.ID)
	}
	o := Endpoint(e)
	return o.Field(name)
}
