// SPDX-License-Identifier: Apache-2.0

package resources

// A burst is a large amount of memory that a daemon allocates in a short time, when it starts or when much changes. The runtime
// would keep the garbage of a burst: it collects only when as much is allocated again, and returns memory only as far as it needs
// less afterwards. All values are bytes since the start of the process.
type burst struct {
	before uint64 // allocated at the previous check
	given  uint64 // allocated when garbage was last returned
}

// calm is the maximum that is allocated between two checks outside of a burst, in bytes.
const calm = 4 << 20

// over reports whether a burst has ended whose garbage is worth a collection. It is called at intervals, and assumes that the
// caller collects when it returns true.
func (b *burst) over(allocated uint64) bool {
	still := allocated-b.before < calm
	b.before = allocated
	if !still || allocated-b.given < room {
		return false
	}
	b.given = allocated
	return true
}
