// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// annotationMirror is on the pod by which the API server knows a static one: the uid that the kubelet gives to that.
const annotationMirror = "kubernetes.io/config.mirror"

// Pod has the fields of a pod that netmaster needs. It is no record: an endpoint's record includes it.
type Pod struct {
	record.Pod
	Static string            // for a static pod its uid at the kubelet; "" for any other
	Labels map[string]string // read-only
}

// PodOf returns the needed fields of a pod, nil for one on its node's own network, which has no endpoint.
func PodOf(p *corev1.Pod) *Pod {
	if p.Spec.HostNetwork {
		return nil
	}
	out := &Pod{Pod: record.Pod{ID: identity.Pod{Namespace: p.Namespace, Name: p.Name}, UID: string(p.UID)}, Static: p.Annotations[annotationMirror], Labels: p.Labels}
	ports := func(c *corev1.Container) {
		for _, port := range c.Ports {
			of, err := protocol(port.Protocol)
			if n := number(port.ContainerPort); err == nil && n != 0 && port.Name != "" {
				out.Ports = append(out.Ports, record.NamedPort{Name: port.Name, Protocol: of, Port: n})
			}
		}
	}
	for i := range p.Spec.InitContainers {
		if c := &p.Spec.InitContainers[i]; c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways { // a sidecar
			ports(c)
		}
	}
	for i := range p.Spec.Containers {
		ports(&p.Spec.Containers[i])
	}
	slices.SortFunc(out.Ports, func(a, b record.NamedPort) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.Port, b.Port))
	})
	out.Ports = slices.Compact(out.Ports)
	return out
}

// Is reports whether the kubelet knows the pod by this uid; "" is any.
func (p *Pod) Is(uid string) bool { return uid == "" || uid == p.UID || uid == p.Static }
