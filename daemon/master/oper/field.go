// SPDX-License-Identifier: Apache-2.0

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
		return e.ID.Network.Dotted()
	case "endpointGroupKey":
		return e.Group.Reversed()
	case "endpointID":
		return e.ID.Endpoint
	case "containerName":
		return e.CommonName
	case "ipAddress":
		return []string{record.Text(e.IP), record.Text(e.IP6)}
	case "macAddress":
		return e.MAC.String()
	case "pod":
		return e.Pod.ID.Path()
	}
	o := Endpoint(e)
	return o.Field(name)
}
