// SPDX-License-Identifier: Apache-2.0

package frame

import (
	"bytes"
	"errors"
	"testing"

	"github.com/contiv/contiv/ofnet"
)

var aProbe = Probe{EthSrc: ofnet.MAC{6, 1, 2, 3, 4, 5}, EthDst: ofnet.MAC{6, 9, 8, 7, 6, 5}, Session: 1<<63 | 77, Seq: 12, Received: 9, Size: 1464}

func TestProbe(t *testing.T) {
	for _, size := range []int{0, LeastProbe, 61, 1464, MaxProbe, 1 << 20} {
		p := aProbe
		p.Size = size
		b := p.Append([]byte{1})[1:]
		want := p
		want.Size = min(max(size, LeastProbe), MaxProbe)
		if got, err := ParseProbe(b); err != nil || got != want || len(b) != want.Size {
			t.Errorf("size %d: want %+v, got %+v of %d bytes, %v", size, want, got, len(b), err)
		}
	}
}

func TestParseProbe_Not(t *testing.T) {
	whole := aProbe.Append(nil)
	set := func(at int, v byte) []byte {
		b := bytes.Clone(whole)
		b[at] = v
		return b
	}
	for name, b := range map[string][]byte{
		"nothing": nil, "a header": whole[:ethSize], "one that is cut": whole[:len(whole)-1], "another type": set(13, 0xb6), "another version": set(17, 2),
		"smaller than Ethernet": append(set(20, 0)[:21], append([]byte{59}, whole[22:]...)...), "larger than any": set(18, 1),
	} {
		if p, err := ParseProbe(b); !errors.Is(err, ErrNotProbe) {
			t.Errorf("%s: want no probe, got %+v", name, p)
		}
	}
}

func FuzzParseProbe(f *testing.F) {
	f.Add(aProbe.Append(nil))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParseProbe(b)
		if err != nil {
			return
		}
		if p.Size > len(b) {
			t.Fatalf("a probe of %d bytes in %d", p.Size, len(b))
		}
		if again, err := ParseProbe(p.Append(nil)); err != nil || again != p {
			t.Errorf("want %+v again, got %+v, %v", p, again, err)
		}
	})
}
