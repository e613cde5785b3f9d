// SPDX-License-Identifier: Apache-2.0

// Package identity names the objects of a cluster. An identity is comparable, and its text form is unique: parts are joined by colons,
// which no name contains but the last. The same text is an object's key in the API, the name of its records in the store, the owner in
// flows' cookies and ports' external_ids, and the form that operators type and read.
package identity

import (
	"cmp"
	"fmt"
	"strings"
)

// InTenant is the identity of an object of kind K, whose name is unique in its tenant. The zero value is no object; its text
// is empty.
type InTenant[K any] struct{ Tenant, Name string }

// The kinds of objects of a tenant. They are types of their own, so that the group and the network of one name do not compare equal.
type (
	Network = InTenant[network]
	Group   = InTenant[group]
	Policy  = InTenant[policy]
	Service = InTenant[service]
)

type (
	network struct{}
	group   struct{}
	policy  struct{}
	service struct{}
)

// parse reads "tenant:name"; neither contains a colon.
func parse[K any](text string) (id InTenant[K], err error) {
	if text == "" {
		return id, nil
	}
	tenant, name, ok := strings.Cut(text, ":")
	if !ok || tenant == "" || name == "" || strings.Contains(name, ":") {
		return id, fmt.Errorf("%q is not of the form tenant:name", text)
	}
	return InTenant[K]{tenant, name}, nil
}

// String is "tenant:name".
func (i InTenant[K]) String() string {
	if i.IsZero() {
		return ""
	}
	return i.Tenant + ":" + i.Name
}

// IsZero reports whether it is zero.
func (i InTenant[K]) IsZero() bool { return i == InTenant[K]{} }

// Compare orders identities by tenant, then by name.
func (i InTenant[K]) Compare(o InTenant[K]) int {
	return cmp.Or(strings.Compare(i.Tenant, o.Tenant), strings.Compare(i.Name, o.Name))
}

// MarshalText gives the text form.
func (i InTenant[K]) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// UnmarshalText reads the text form.
func (i *InTenant[K]) UnmarshalText(text []byte) (err error) {
	*i, err = parse[K](string(text))
	return err
}

// ParseNetwork reads "tenant:network".
func ParseNetwork(text string) (Network, error) { return parse[network](text) }

// ParseGroup reads "tenant:group".
func ParseGroup(text string) (Group, error) { return parse[group](text) }

// ParsePolicy reads "tenant:policy".
func ParsePolicy(text string) (Policy, error) { return parse[policy](text) }

// ParseService reads "tenant:service".
func ParseService(text string) (Service, error) { return parse[service](text) }
