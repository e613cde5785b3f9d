// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Attachment is the identity of a policy's attachment to a group of its tenant.
type Attachment struct {
	Group
	Policy string
}

// ParseAttachment reads "tenant:group:policy".
func ParseAttachment(text string) (id Attachment, err error) {
	if text == "" {
		return id, nil
	}
	tenant, group, policy, err := three(text, "policy")
	if strings.Contains(policy, ":") {
		return id, fmt.Errorf("%q is not of the form tenant:group:policy", text)
	}
	return Attachment{Group{tenant, group}, policy}, err
}

// String is "tenant:group:policy".
func (a Attachment) String() string {
	if a.IsZero() {
		return ""
	}
	return a.Tenant + ":" + a.Name + ":" + a.Policy
}

// IsZero reports whether it is zero.
func (a Attachment) IsZero() bool { return a == Attachment{} }

// Of is the identity of the policy.
func (a Attachment) Of() Policy { return Policy{a.Tenant, a.Policy} }

// MarshalText gives the text form.
func (a Attachment) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads the text form.
func (a *Attachment) UnmarshalText(text []byte) (err error) {
	*a, err = ParseAttachment(string(text))
	return err
}

// Compare orders attachments by tenant, group and policy.
func (a Attachment) Compare(o Attachment) int {
	return cmp.Or(a.Group.Compare(o.Group), strings.Compare(a.Policy, o.Policy))
}

// AttachedRule is the identity of a rule as it judges one group that has its policy. Flows and their counters are named by it.
type AttachedRule struct{ Tenant, Group, Policy, Rule string }

// ParseAttachedRule reads "tenant:group:policy:rule".
func ParseAttachedRule(text string) (AttachedRule, error) {
	parts := strings.Split(text, ":")
	if len(parts) != 4 || slices.Contains(parts, "") {
		return AttachedRule{}, fmt.Errorf("%q is not of the form tenant:group:policy:rule", text)
	}
	return AttachedRule{parts[0], parts[1], parts[2], parts[3]}, nil
}

// String is "tenant:group:policy:rule".
func (a AttachedRule) String() string {
	return strings.Join([]string{a.Tenant, a.Group, a.Policy, a.Rule}, ":")
}

// Of is the identity of the rule.
func (a AttachedRule) Of() Rule { return Rule{Policy{a.Tenant, a.Policy}, a.Rule} }
