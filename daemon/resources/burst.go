package resources

// A burst is what a daemon allocates in a short time, at its start and when much changes. What it leaves behind the runtime would keep: it
// collects garbage when as much has come again, and gives memory back only as far as it needs less after that. All are in bytes since the
// start of the process.
type burst struct {
	before uint64 // allocated at the look before
	given  uint64 // allocated when garbage was given back
}

// calm is how much may be allocated between two looks when nothing much happens.
const calm = 4 << 20

// over says that a burst is over whose garbage is worth a collection. It is asked in intervals, and takes a yes for done.
func (b *burst) over(allocated uint64) bool {
	still := allocated-b.before < calm
	b.before = allocated
	if !still || allocated-b.given < room {
		return false
	}
	b.given = allocated
	return true
}
