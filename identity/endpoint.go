// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"cmp"
	"fmt"
	"strings"
)

// Endpoint is the identity of a container's interface: its name is unique in its network, and may contain colons.
type Endpoint struct {
	Network
	Endpoint string // such as the container's id and the interface's name
}

// ParseEndpoint reads "tenant:network:endpoint".
func ParseEndpoint(text string) (id Endpoint, err error) {
	if text == "" {
		return id, nil
	}
	tenant, name, endpoint, err := three(text, "endpoint")
	return Endpoint{Network{tenant, name}, endpoint}, err
}

// String is "tenant:network:endpoint".
func (e Endpoint) String() string {
	if e.IsZero() {
		return ""
	}
	return e.Tenant + ":" + e.Name + ":" + e.Endpoint
}

// IsZero reports whether it is zero.
func (e Endpoint) IsZero() bool { return e == Endpoint{} }

// Compare orders endpoints by tenant, network and name.
func (e Endpoint) Compare(o Endpoint) int {
	return cmp.Or(e.Network.Compare(o.Network), strings.Compare(e.Endpoint, o.Endpoint))
}

// MarshalText gives the text form.
func (e Endpoint) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads the text form.
func (e *Endpoint) UnmarshalText(text []byte) (err error) {
	*e, err = ParseEndpoint(string(text))
	return err
}

// Rule is the identity of a rule of a policy: its name is unique in the policy.
type Rule struct {
	Policy
	Rule string
}

// ParseRule reads "tenant:policy:rule".
func ParseRule(text string) (id Rule, err error) {
	if text == "" {
		return id, nil
	}
	tenant, name, rule, err := three(text, "rule")
	return Rule{Policy{tenant, name}, rule}, err
}

// String is "tenant:policy:rule".
func (r Rule) String() string {
	if r.IsZero() {
		return ""
	}
	return r.Tenant + ":" + r.Name + ":" + r.Rule
}

// IsZero reports whether it is zero.
func (r Rule) IsZero() bool { return r == Rule{} }

// Compare orders rules by tenant, policy and name.
func (r Rule) Compare(o Rule) int {
	return cmp.Or(r.Policy.Compare(o.Policy), strings.Compare(r.Rule, o.Rule))
}

// MarshalText gives the text form.
func (r Rule) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads the text form.
func (r *Rule) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRule(string(text))
	return err
}

// three cuts a text into its tenant, the object in it and what that has.
func three(text, what string) (tenant, name, last string, err error) {
	parts := strings.SplitN(text, ":", 3)
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" {
		return "", "", "", fmt.Errorf("%q is not of the form tenant:name:%s", text, what)
	}
	return parts[0], parts[1], parts[2], nil
}
