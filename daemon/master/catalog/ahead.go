package catalog

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/contiv/contiv/daemon/store/mirror"
)

// many changes are read ahead, this many at a time by each processor: those of a list of everything.
const many = 1000

// readAhead does what of taking in many changes needs no view, decoding above all, on all processors. What is left of a change is at its
// index, nil when that is all of it; nil when there are few.
func readAhead(changes []mirror.Change) []func(*View) error {
	if len(changes) < 2*many {
		return nil
	}
	left := make([]func(*View) error, len(changes))
	var next atomic.Int64
	var readers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		readers.Go(func() {
			for from := int(next.Add(many)) - many; from < len(changes); from = int(next.Add(many)) - many {
				for i := from; i < min(from+many, len(changes)); i++ {
					left[i] = readOne(&changes[i])
				}
			}
		})
	}
	readers.Wait()
	return left
}

func readOne(c *mirror.Change) func(*View) error {
	i := rank(c.Key)
	if !c.Has || c.After.Value == nil || i == len(keyspaces) || keyspaces[i].ahead == nil {
		return nil
	}
	return keyspaces[i].ahead(c.Key, c.After.Value)
}
