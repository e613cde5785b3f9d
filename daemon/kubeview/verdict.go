// SPDX-License-Identifier: Apache-2.0

package kubeview

import (
	"github.com/contiv/contiv/api/verdict"
	"github.com/contiv/contiv/daemon/record"
)

// VerdictPod returns the pod of an endpoint, nil if it has none.
func VerdictPod(e *record.Endpoint) *verdict.Pod {
	if e == nil || e.Pod.ID.IsZero() {
		return nil
	}
	p := &verdict.Pod{Namespace: e.Pod.ID.Namespace, Name: e.Pod.ID.Name, Labels: e.Labels}
	for _, n := range e.Pod.Ports {
		p.Ports = append(p.Ports, verdict.NamedPort{Name: n.Name, Protocol: int(n.Protocol), Port: int(n.Port)})
	}
	return p
}
