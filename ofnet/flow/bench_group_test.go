package flow

import "testing"

// BenchmarkNewBuckets encodes what a network with 500 containers on this host floods to.
func BenchmarkNewBuckets(b *testing.B) {
	list := make([]Bucket, 500)
	for i := range list {
		list[i].Actions = Do(Output(uint32(i + 1)))
	}
	b.ReportAllocs()
	for b.Loop() {
		NewBuckets(list...)
	}
}
