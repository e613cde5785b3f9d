// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"
	"testing"

	"github.com/contiv/contiv/daemon/kube/kubetest"
	"github.com/contiv/contiv/daemon/store/memory"
)

// A term may end in the middle of a transaction, and the next one writes everything.
func TestEndOfTerm(t *testing.T) {
	server := kubetest.Start(t)
	server.Put(t, namespace("ns", nil))
	const many = 2000
	for i := range many {
		server.Put(t, denyAll(fmt.Sprint("deny", i)))
	}
	for range 10 {
		w := start(t, server, memory.New())
		w.await("differences", func() bool { return w.Status().Differs > many/2 })
		w.World.Stop()
	}
	w := start(t, server, memory.New())
	w.await("no differences", func() bool { s := w.Status(); return s.Missing == "" && s.Differs == 0 })
}
