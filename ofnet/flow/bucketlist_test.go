package flow_test

import (
	"slices"
	"testing"

	"github.com/contiv/contiv/ofnet/flow"
)

// A list's pieces are its buckets, in order, however they came into it.
func TestBucketList(t *testing.T) {
	want := []flow.Bucket{
		{Actions: flow.Do(flow.Output(7))},
		{Actions: flow.Do(flow.Output(flow.PortController))},
		{Weight: 3, WatchPort: 9, Actions: flow.Do(flow.ToGroup(5), flow.Output(1))},
		{},
		{Actions: flow.Do(flow.Output(8))},
	}
	var l flow.BucketList
	if l.Len() != 0 || l.Piece(0, 0) != (flow.Buckets{}) {
		t.Error("the zero list is not empty")
	}
	l.Output(7, flow.PortController)
	l.Add(want[2:4]...)
	var rest flow.BucketList
	rest.Output(8)
	l.Append(&rest)
	if l.Len() != len(want) {
		t.Fatalf("want %d buckets, got %d", len(want), l.Len())
	}
	for from := range want {
		for to := from; to <= len(want); to++ {
			piece := l.Piece(from, to)
			if got := slices.Collect(piece.All); !slices.Equal(got, want[from:to]) {
				t.Errorf("buckets %d to %d: want %v, got %v", from, to, want[from:to], got)
			}
			if piece != flow.NewBuckets(want[from:to]...) {
				t.Errorf("buckets %d to %d are not what NewBuckets makes of them", from, to)
			}
			if read, err := flow.DecodeBuckets([]byte(piece.Wire())); err != nil || read != piece {
				t.Errorf("buckets %d to %d: decoded %v, %v", from, to, read, err)
			}
		}
	}
}
