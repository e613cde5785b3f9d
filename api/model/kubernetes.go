// SPDX-License-Identifier: Apache-2.0

package model

import (
	"strings"
	"time"
)

// KubernetesStatus is a netmaster's status of Kubernetes, which only the leader reads: GET /api/v1/kubernetes returns the leader's.
type KubernetesStatus struct {
	Wanted  bool       `json:"wanted"`           // it has an address of the API server
	Leads   bool       `json:"leads"`            // it leads, so it is the one that reads
	Since   *time.Time `json:"since,omitempty"`  // time of the last change of Missing; nil: unknown
	Missing string     `json:"lacks,omitempty"`  // what it cannot read, and why; "": nothing
	Silent  bool       `json:"silent,omitempty"` // the API server has only not answered in time: its state is unknown
	// Differs is the number of records and pods that are yet to be compared with the store, which then has all of Kubernetes' objects.
	Differs int `json:"differs,omitempty"`
}

// String describes the status, as in "read since 2026-01-02T03:04:05Z".
func (s KubernetesStatus) String() string {
	switch {
	case !s.Wanted:
		return "not read: netmaster has no --kubeconfig"
	case !s.Leads:
		return "read by the leader"
	case s.Missing != "":
		return "not read" + s.since() + ": " + s.Missing
	}
	return "read" + s.since()
}

// Problem returns the reason why Kubernetes is not read although it is configured; "" if it is read.
func (s *KubernetesStatus) Problem() string {
	if s == nil || !s.Wanted || s.Missing == "" {
		return ""
	}
	return "Kubernetes is " + s.String() + "; objects that were read before stay in force"
}

// None explains why nothing of a kind is known.
func (s KubernetesStatus) None(k *Kind) string {
	text := "no " + k.noun + " is known"
	if !strings.HasPrefix(k.noun, k.Owner) {
		text = "no " + k.noun + " of " + k.Owner + " is known"
	}
	switch {
	case !s.Wanted:
		return text + ": netmaster does not read Kubernetes (it needs --kubeconfig)"
	case !s.Leads || s.Missing != "":
		return text + ": Kubernetes is " + s.String()
	}
	return text + ": there is none, by what was " + s.String()
}

func (s KubernetesStatus) since() string {
	if s.Since == nil || s.Since.IsZero() {
		return ""
	}
	return " since " + s.Since.UTC().Format(time.RFC3339)
}
