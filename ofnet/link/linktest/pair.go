// SPDX-License-Identifier: Apache-2.0

package linktest

import "testing"

// Pair makes two namespaces that are connected by a cable: an interface u0 in each, down.
func Pair(tb testing.TB) (a, b *Namespace) {
	tb.Helper()
	a, b = New(tb), New(tb)
	a.IP("link", "add", "u0", "type", "veth", "peer", "name", "u0", "netns", b.Name)
	return a, b
}
