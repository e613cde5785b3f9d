// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestShadows(t *testing.T) {
	tests := []struct {
		name  string
		flows []string
		want  []int
	}{
		{"a wider match above", []string{"priority=20,tcp actions=drop", "priority=10,tcp,tp_dst=80 actions=output:1"}, []int{-1, 0}},
		{"a wider match below", []string{"priority=10,tcp actions=drop", "priority=20,tcp,tp_dst=80 actions=output:1"}, []int{-1, -1}},
		{"equal priorities", []string{"priority=10,tcp actions=drop", "priority=10,tcp,tp_dst=80 actions=output:1"}, []int{-1, -1}},
		{"another table", []string{"table=1,priority=20,tcp actions=drop", "table=2,priority=10,tcp actions=output:1"}, []int{-1, -1}},
		{"any packet above", []string{"priority=20 actions=drop", "priority=10,arp actions=output:1"}, []int{-1, 0}},
		{"a subnet around", []string{"priority=20,ip,nw_dst=10.0.0.0/8 actions=drop", "priority=10,ip,nw_dst=10.1.0.0/16 actions=output:1"}, []int{-1, 0}},
		{"a subnet elsewhere", []string{"priority=20,ip,nw_dst=10.0.0.0/8 actions=drop", "priority=10,ip,nw_dst=11.1.0.0/16 actions=output:1"}, []int{-1, -1}},
		{"a subnet within", []string{"priority=20,ip,nw_dst=10.1.0.0/16 actions=drop", "priority=10,ip,nw_dst=10.0.0.0/8 actions=output:1"}, []int{-1, -1}},
		{"a field that is left open", []string{"priority=20,tcp,tp_dst=80 actions=drop", "priority=10,tcp actions=output:1"}, []int{-1, -1}},
		{"bits of a register", []string{"priority=20,reg4=0x1/0x1 actions=drop", "priority=10,reg4=0x3 actions=output:1", "priority=10,reg4=0x2 actions=output:1"}, []int{-1, 0, -1}},
		{"a clause of a conjunction", []string{"priority=20,ip actions=conjunction(7,1/2)", "priority=10,ip,nw_dst=10.1.0.1 actions=output:1"}, []int{-1, -1}},
		{"below a shadowed one", []string{"priority=30,ip actions=drop", "priority=20,tcp actions=drop", "priority=10,tcp,tp_dst=1 actions=drop"}, []int{-1, 0, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var flows []Flow
			for _, line := range tt.flows {
				f, err := Parse(line, nil)
				if err != nil {
					t.Fatal(err)
				}
				flows = append(flows, f)
			}
			if got := Shadows(flows); !slices.Equal(got, tt.want) {
				t.Errorf("want %v, got %v", tt.want, got)
			}
		})
	}
}

func BenchmarkShadows(b *testing.B) {
	var flows []Flow
	for i := range 20000 {
		line := fmt.Sprintf("priority=%d,ip,nw_dst=10.%d.%d.%d actions=drop", 10+i%7, i>>16, i>>8&255, i&255)
		if i%3 == 0 {
			line = strings.Replace(line, "nw_dst", "reg4=0x5,nw_src", 1)
		}
		f, err := Parse(line, nil)
		if err != nil {
			b.Fatal(err)
		}
		flows = append(flows, f)
	}
	for b.Loop() {
		Shadows(flows)
	}
}
