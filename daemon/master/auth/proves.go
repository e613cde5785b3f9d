// SPDX-License-Identifier: Apache-2.0

package auth

import "github.com/contiv/contiv/trust"

// ByPod is the proof of a pod with an agent: its service account token, for which the API server of Kubernetes names the pod's node. Only the
// request to join uses it.
const ByPod Proof = "pod"

// Administrator is the name of the user whose certificate has the role admin, with which a cluster begins.
const Administrator = "admin"

// Proven is what a proof proves of its holder. Everything else that a request says of its sender is a claim.
type Proven struct {
	Role   bool // the role of the identity, by a key: routes for certificates of the role are open to it, including that of renewals
	Host   bool // the only host whose agent the holder is
	Others bool // the holder may name, with a voucher, the sender of a request that it forwards
	Admin  bool // the user has all permissions, regardless of authorizations
}

// provenBy is what a proof proves of an identity of a role.
type provenBy struct {
	role  trust.Role
	proof Proof
	Proven
}

// proven has all proofs, by the identity's role. Other proofs prove nothing; a user's session or token proves only the name, by which
// authorizations are found.
func proven() [5]provenBy {
	return [...]provenBy{
		{trust.Agent, ByCertificate, Proven{Role: true, Host: true}},
		{trust.Agent, ByPod, Proven{Host: true}},
		{trust.Master, ByCertificate, Proven{Role: true, Others: true}},
		{trust.Monitor, ByCertificate, Proven{Role: true}},
		{trust.User, ByCertificate, Proven{Role: true}},
	}
}

// Proves returns what is proved of the subject.
func (s *Subject) Proves() (p Proven) {
	for _, row := range proven() {
		if row.role == s.Role && row.proof == s.Proof {
			p = row.Proven
		}
	}
	p.Admin = s.Role == trust.User && s.Proof == ByCertificate && s.Name == Administrator
	return p
}

// Speaks reports whether the subject is proved to be the agent of a host.
func (s *Subject) Speaks(host string) bool { return s.Proves().Host && s.Name == host }
