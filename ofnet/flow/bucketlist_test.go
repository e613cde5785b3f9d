// SPDX-License-Identifier: Apache-2.0

package flow_test

import (
	"slices"
	"testing"

	"github.com/contiv/contiv/ofnet/flow"
)

// A list has its buckets, in order, however they came into it.
func TestBucketList(t *testing.T) {
	want := []flow.Bucket{
		{Actions: flow.Do(flow.Load(flow.All(flow.Reg0+5), 7), flow.Resubmit(56))},
		{Actions: flow.Do(flow.Load(flow.All(flow.Reg0+5), 1<<32-1), flow.Resubmit(56))},
		{Weight: 3, WatchPort: 9, Actions: flow.Do(flow.ToGroup(5), flow.Output(1))},
		{},
		{Actions: flow.Do(flow.Load(flow.All(flow.Reg0), 8), flow.Resubmit(3))},
	}
	var none, l flow.BucketList
	if none.Done() != (flow.Buckets{}) {
		t.Error("the zero list is not empty")
	}
	l.Resubmit(56, flow.Reg0+5, 7, 1<<32-1)
	l.Add(want[2:4]...)
	l.Resubmit(3, flow.Reg0, 8)
	all := l.Done()
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

// However many values there are, the list that is written for them at once is the one that is written for each.
func TestBucketListResubmit(t *testing.T) {
	var values []uint32
	var each []flow.Bucket
	for n := range 40 {
		var l flow.BucketList
		l.Resubmit(56, flow.Reg0+5, values...)
		if l.Done() != flow.NewBuckets(each...) {
			t.Errorf("%d values: not what NewBuckets makes of them", n)
		}
		v := uint32(1000 + n)
		values, each = append(values, v), append(each, flow.Bucket{Actions: flow.Do(flow.Load(flow.All(flow.Reg0+5), uint64(v)), flow.Resubmit(56))})
	}
}
