// SPDX-License-Identifier: Apache-2.0

package health

import "github.com/contiv/contiv/api/model"

// Unread is a policy of Kubernetes of which netmaster does not read all.
type Unread struct {
	Policy string   // "namespace/name", of a cluster-wide one "name"
	What   []string // reasons; none: nothing of it is read
}

// unread finds policies of Kubernetes that are not in force as they are written.
func unread(s *Snapshot) (out []model.Finding) {
	for _, p := range s.Unread {
		evidence := "nothing of the policy is read: the pods that it may select are isolated"
		if len(p.What) > 0 {
			evidence = "this of the policy is not read, and what it is to accept is not accepted: " + brief(p.What)
		}
		out = append(out, model.Finding{Code: model.FindingPolicyUnread, Severity: model.SeverityWarning, Object: "policy/" + p.Policy, Evidence: evidence,
			Remedy: "write the policy with what docs/reference/kubernetes-policy.md lists as done", Next: "netctl netpol ls; netctl cnp ls"})
	}
	return out
}

// UnreadService is a service of Kubernetes of which some parts are not carried out.
type UnreadService struct {
	Service string // "namespace/name"
	Parts   []string
}

// unreadServices finds services of Kubernetes that are not in force as they are written.
func unreadServices(s *Snapshot) (out []model.Finding) {
	for _, v := range s.Partial {
		out = append(out, model.Finding{Code: model.FindingServiceUnread, Severity: model.SeverityWarning, Object: "service/" + v.Service,
			Evidence: "this of the service is not carried out: " + brief(v.Parts),
			Remedy:   "write the service with what docs/reference/kubernetes-services.md lists as done", Next: "kubectl get service -o yaml, condition contiv.io/Implemented"})
	}
	return out
}
