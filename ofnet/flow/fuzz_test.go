// SPDX-License-Identifier: Apache-2.0

package flow_test

import (
	"testing"

	"github.com/contiv/contiv/ofnet/flow"
)

func FuzzDecodeMatch(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0x80, 0, 0, 4, 0, 0, 0, 6})
	f.Add([]byte{0, 1, 1, 8, 0, 0, 0, 1, 0, 0, 0, 1})
	f.Add([]byte{0xff, 0xff, 1, 4, 1, 2, 3, 4})
	f.Add([]byte{0x80, 0, 0x0d, 4, 0x10, 0, 0x10, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		m, err := flow.DecodeMatch(in)
		if err != nil {
			return
		}
		if again, err := flow.DecodeMatch([]byte(m.OXM())); err != nil || again != m {
			t.Errorf("decoded again: want %q, got %q, %v", m, again, err)
		}
		// Not every match that a switch could send has an unmistakable text, such as a field without its protocol.
		_, _ = flow.ParseMatch(m.String())
	})
}

func FuzzDecodeInstructions(f *testing.F) {
	for _, text := range actionTexts {
		a, err := flow.ParseActions(text, nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(a.Wire()))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		a, err := flow.DecodeInstructions(in)
		if err != nil {
			return
		}
		_ = a.String()
		for range a.Groups {
		}
		for range a.Gotos {
		}
		for range a.Meters {
		}
	})
}

func FuzzDecodeBuckets(f *testing.F) {
	f.Add([]byte(flow.NewBuckets(flow.Bucket{Actions: flow.Do(flow.Output(1))}, flow.Bucket{Weight: 5}).Wire()))
	f.Add([]byte{0, 16, 0, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		b, err := flow.DecodeBuckets(in)
		if err != nil {
			return
		}
		_ = flow.Group{Buckets: b}.String()
	})
}

func FuzzDecodeActions(f *testing.F) {
	f.Add([]byte{0, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(_ *testing.T, in []byte) {
		if a, err := flow.DecodeActions(in); err == nil {
			_ = a.String()
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range actionTexts {
		f.Add("cookie=0x1, table=8, priority=100,tcp,in_port=6,ct_state=+new-rel+trk,nw_dst=10.0.0.0/8,tp_dst=80 actions=" + text)
	}
	f.Fuzz(func(t *testing.T, in string) {
		fl, err := flow.Parse(in, names)
		if err != nil {
			return
		}
		text := fl.String()
		back, err := flow.Parse(text, names)
		if err != nil || back != fl {
			t.Errorf("%q prints as %q: want the same flow back, got %v, %v", in, text, back, err)
		}
	})
}

func FuzzParseSet(f *testing.F) {
	f.Add("group_id=1,type=select,bucket=weight:100,watch_port:3,actions=output:1\nmeter=1 kbps burst bands=type=drop rate=5 burst_size=9\n")
	f.Fuzz(func(_ *testing.T, in string) {
		if s, err := flow.ParseSet(in, names); err == nil {
			_ = s.String()
			_ = s.Check()
		}
	})
}
