// SPDX-License-Identifier: Apache-2.0

package flow

import "testing"

// BenchmarkResubmits is BenchmarkNewBuckets for those that get each frame as it is.
func BenchmarkResubmits(b *testing.B) {
	ports := make([]Port, 500)
	for i := range ports {
		ports[i] = Port(i + 1)
	}
	b.ReportAllocs()
	for b.Loop() {
		var l BucketList
		l.Resubmit(56, Reg0+5, ports...)
		l.Done()
	}
}

// BenchmarkNewBuckets encodes what a network with 500 containers on this host floods to.
func BenchmarkNewBuckets(b *testing.B) {
	list := make([]Bucket, 500)
	for i := range list {
		list[i].Actions = Do(Load(All(Reg0+5), uint64(i+1)), Resubmit(56))
	}
	b.ReportAllocs()
	for b.Loop() {
		NewBuckets(list...)
	}
}
