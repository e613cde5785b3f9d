// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"cmp"
	"fmt"
	"strings"
)

// InNamespace is the identity of an object of Kubernetes of kind K, whose name is unique in its namespace. The zero value is no object; its
// text is empty.
type InNamespace[K any] struct{ Namespace, Name string }

// The kinds of objects that a namespace has.
type (
	Pod               = InNamespace[pod]
	NetworkPolicy     = InNamespace[networkPolicy]
	KubernetesService = InNamespace[kubernetesService]
	EndpointSlice     = InNamespace[endpointSlice]
)

type (
	pod               struct{}
	networkPolicy     struct{}
	kubernetesService struct{}
	endpointSlice     struct{}
)

// parseInNamespace reads "namespace:name"; neither contains a colon.
func parseInNamespace[K any](text string) (id InNamespace[K], err error) {
	if text == "" {
		return id, nil
	}
	namespace, name, ok := strings.Cut(text, ":")
	if !ok || namespace == "" || name == "" || strings.Contains(name, ":") {
		return id, fmt.Errorf("%q is not of the form namespace:name", text)
	}
	return InNamespace[K]{namespace, name}, nil
}

// String is "namespace:name".
func (i InNamespace[K]) String() string {
	if i.IsZero() {
		return ""
	}
	return i.Namespace + ":" + i.Name
}

// IsZero reports whether it is zero.
func (i InNamespace[K]) IsZero() bool { return i == InNamespace[K]{} }

// Compare orders identities by namespace, then by name.
func (i InNamespace[K]) Compare(o InNamespace[K]) int {
	return cmp.Or(strings.Compare(i.Namespace, o.Namespace), strings.Compare(i.Name, o.Name))
}

// MarshalText gives the text form.
func (i InNamespace[K]) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// UnmarshalText reads the text form.
func (i *InNamespace[K]) UnmarshalText(text []byte) (err error) {
	*i, err = parseInNamespace[K](string(text))
	return err
}

// ParsePod reads "namespace:pod".
func ParsePod(text string) (Pod, error) { return parseInNamespace[pod](text) }

// ParseNetworkPolicy reads "namespace:policy".
func ParseNetworkPolicy(text string) (NetworkPolicy, error) {
	return parseInNamespace[networkPolicy](text)
}

// ParseKubernetesService reads "namespace:service".
func ParseKubernetesService(text string) (KubernetesService, error) {
	return parseInNamespace[kubernetesService](text)
}

// ParseEndpointSlice reads "namespace:slice".
func ParseEndpointSlice(text string) (EndpointSlice, error) {
	return parseInNamespace[endpointSlice](text)
}
