// SPDX-License-Identifier: Apache-2.0

package translate

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/contiv/contiv/daemon/record"
)

// Namespace is the record of a namespace.
func Namespace(n *corev1.Namespace) *record.Namespace {
	return &record.Namespace{Name: n.Name, UID: string(n.UID), Labels: n.Labels, Place: record.PlaceOf(n.Annotations)}
}
