// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/contiv/contiv/daemon/store/mirror"
)

// many is the number of changes from which on they are decoded in parallel, and the number that a processor decodes at a time. Only lists
// of everything have that many.
const many = 1000

// readAhead does the part of applying many changes that needs no view, mostly decoding, on all processors. The result has, at a change's
// index, the rest of its work, nil if nothing is left. It returns nil for few changes.
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
