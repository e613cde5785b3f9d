// SPDX-License-Identifier: Apache-2.0

package resources

import (
	"runtime"
	"testing"
)

func TestPace(t *testing.T) {
	before := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(before)
	is := func(when string, want int) {
		t.Helper()
		if got := runtime.GOMAXPROCS(0); got != want {
			t.Errorf("%s: want %d processors, got %d", when, want, got)
		}
	}
	p := NewPace("")
	is("at rest", 2)
	one, two := p.Hurry(), p.Hurry()
	is("while two hurry", 4)
	one()
	one()
	is("while one does", 4)
	two()
	is("at rest again", 2)
	p.Hurry()
	runtime.GOMAXPROCS(3)
	fixed := NewPace("3")
	done := fixed.Hurry()
	is("as the environment says", 3)
	done()
	is("also afterwards", 3)
	(*Pace)(nil).Hurry()()
	is("without a pace", 3)
}
