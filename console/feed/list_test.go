// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// The list is that of the endpoints, in order, and what did not change is the same value, whatever comes and goes.
func TestList(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	r := newList(CompareEndpoints)
	for range 300 {
		before := r.sorted()
		for range random.IntN(4) {
			key := fmt.Sprint(random.IntN(30))
			if random.IntN(3) == 0 {
				r.Delete(key)
				continue
			}
			r.Set(key, &Endpoint{Key: key, Network: fmt.Sprint("n", len(key)), EndpointID: key})
		}
		list := r.sorted()
		if len(list) != r.Len() || !slices.IsSortedFunc(list, CompareEndpoints) {
			t.Fatalf("want %d endpoints in order, got %d", r.Len(), len(list))
		}
		for _, e := range list {
			if r.Get(e.Key) != e {
				t.Fatalf("endpoint %s in the list is not the latest", e.Key)
			}
		}
		if len(before) > 0 && !slices.IsSortedFunc(before, CompareEndpoints) {
			t.Fatal("an earlier list was changed")
		}
	}
}
