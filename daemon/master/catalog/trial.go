package catalog

import "github.com/contiv/contiv/daemon/store"

// Try takes in an operation that may never be committed, so that the rules of the next object of the same request see
// it, and returns how to take it back. It is for use within Change, and must be taken back before Change ends, last
// first: nobody else ever sees it.
func (v *View) Try(op store.Op) (back func(), err error) {
	before, was := v.known[op.Key]
	if op.Delete {
		v.drop(op.Key)
	} else {
		err = v.put(store.Item{Key: op.Key, Value: op.Value, Revision: before.Revision})
	}
	return func() {
		if was {
			// What was there was taken in before, so it can be again.
			_ = v.put(before)
		} else {
			v.drop(op.Key)
		}
	}, err
}
