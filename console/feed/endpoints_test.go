package feed

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contiv/contiv/api/model"
)

// Whatever comes and goes, the list is that of the endpoints, in order, and what did not change is the same value.
func TestRoster(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	r := newEndpointList()
	for range 300 {
		before := r.sorted()
		for range random.IntN(4) {
			key := fmt.Sprint(random.IntN(30))
			if random.IntN(3) == 0 {
				r.drop(key)
				continue
			}
			r.put(key, &model.EndpointOper{Key: key, Network: fmt.Sprint("n", len(key)), EndpointID: key})
		}
		list := r.sorted()
		if len(list) != len(r.of) || !slices.IsSortedFunc(list, CompareEndpoints) {
			t.Fatalf("want %d endpoints in order, got %d", len(r.of), len(list))
		}
		for _, e := range list {
			if r.of[e.Key] != e {
				t.Fatalf("endpoint %s in the list is not the latest", e.Key)
			}
		}
		if len(before) > 0 && !slices.IsSortedFunc(before, CompareEndpoints) {
			t.Fatal("an earlier list was changed")
		}
	}
}

// While no one looks, as when the terminal takes nothing more, what comes and goes leaves nothing behind.
func TestRosterThatNobodyLooksAt(t *testing.T) {
	r := newEndpointList()
	stays := &model.EndpointOper{Key: "stays", EndpointID: "stays"}
	r.put("stays", stays)
	r.sorted()
	for i := range 1000 {
		r.put("stays", &model.EndpointOper{Key: "stays", EndpointID: "stays"})
		r.put(fmt.Sprint(i), &model.EndpointOper{Key: fmt.Sprint(i)})
		r.drop(fmt.Sprint(i))
	}
	r.drop("never")
	if len(r.dirty) != 1 || r.dirty["stays"] != stays {
		t.Errorf("want what stood in the list alone, got %v", r.dirty)
	}
	if list := r.sorted(); len(list) != 1 || list[0] == stays || list[0] != r.of["stays"] {
		t.Errorf("want the last value alone, got %v", list)
	}
}
