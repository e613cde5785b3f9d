package access

import "github.com/contiv/contiv/trust"

// Pod is the proof of a pod with an agent: its service account token, of which the API server of Kubernetes says on which node the pod runs. No request
// but the one to join is by it.
const Pod Proof = "pod"

// Administrator is the name of the user whose certificate makes an admin, with which a cluster begins.
const Administrator = "admin"

// Proven is what a proof proves of who has it. Everything else that a request says of its sender is a claim.
type Proven struct {
	Role   bool // the role of the identity, by a key: routes that are for certificates of the role are open to it, that of renewals among them
	Host   bool // of which host its holder is the agent, and of no other
	Others bool // that its holder is believed, with a voucher, who sends a request that it passes on
	Admin  bool // that the user may everything, whatever authorizations say
}

// provenBy is what a proof proves of an identity of a role.
type provenBy struct {
	role  trust.Role
	proof Proof
	Proven
}

// proven are all proofs, by the identity's role. What is not among them proves nothing; of a user a session or a token proves only the name, by which
// authorizations are found.
func proven() [5]provenBy {
	return [...]provenBy{
		{trust.Agent, Certificate, Proven{Role: true, Host: true}},
		{trust.Agent, Pod, Proven{Host: true}},
		{trust.Master, Certificate, Proven{Role: true, Others: true}},
		{trust.Monitor, Certificate, Proven{Role: true}},
		{trust.User, Certificate, Proven{Role: true}},
	}
}

// Proves says what is proved of the subject.
func (s *Subject) Proves() (p Proven) {
	for _, row := range proven() {
		if row.role == s.Role && row.proof == s.Proof {
			p = row.Proven
		}
	}
	p.Admin = s.Role == trust.User && s.Proof == Certificate && s.Name == Administrator
	return p
}

// Speaks reports whether it is proved that the subject is the agent of a host.
func (s *Subject) Speaks(host string) bool { return s.Proves().Host && s.Name == host }
