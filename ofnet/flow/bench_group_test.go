package flow

import "testing"

// BenchmarkOutputs is BenchmarkNewBuckets for those that get each frame as it is.
func BenchmarkOutputs(b *testing.B) {
	ports := make([]Port, 500)
	for i := range ports {
		ports[i] = Port(i + 1)
	}
	b.ReportAllocs()
	for b.Loop() {
		var l BucketList
		l.Output(ports...)
		l.Done()
	}
}

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
