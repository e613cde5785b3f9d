package flow_test

import (
	"slices"
	"testing"

	"github.com/contiv/contiv/ofnet/flow"
)

// A list has its buckets, in order, however they came into it.
func TestBucketList(t *testing.T) {
	want := []flow.Bucket{
		{Actions: flow.Do(flow.Output(7))},
		{Actions: flow.Do(flow.Output(flow.PortController))},
		{Weight: 3, WatchPort: 9, Actions: flow.Do(flow.ToGroup(5), flow.Output(1))},
		{},
		{Actions: flow.Do(flow.Output(8))},
	}
	var none, l, rest flow.BucketList
	if none.Done() != (flow.Buckets{}) {
		t.Error("the zero list is not empty")
	}
	l.Output(7, flow.PortController)
	l.Add(want[2:4]...)
	rest.Output(8)
	all := l.Done().And(rest.Done())
	if got := slices.Collect(all.All); !slices.Equal(got, want) {
		t.Errorf("want %v, got %v", want, got)
	}
	if all != flow.NewBuckets(want...) {
		t.Error("they are not what NewBuckets makes of them")
	}
	if read, err := flow.DecodeBuckets([]byte(all.Wire())); err != nil || read != all {
		t.Errorf("decoded %v, %v", read, err)
	}
}

// However many ports there are, the list that is written for them at once is the one that is written for each.
func TestBucketListOutput(t *testing.T) {
	var ports []flow.Port
	var each []flow.Bucket
	for n := range 40 {
		var l flow.BucketList
		l.Output(ports...)
		if l.Done() != flow.NewBuckets(each...) {
			t.Errorf("%d ports: not what NewBuckets makes of them", n)
		}
		p := flow.Port(1000 + n)
		if n == 20 {
			p = flow.PortController
		}
		ports, each = append(ports, p), append(each, flow.Bucket{Actions: flow.Do(flow.Output(p))})
	}
}
