// SPDX-License-Identifier: Apache-2.0

package cni

import (
	"testing"

	"github.com/contiv/contiv/api/model"
)

func TestBandwidth(t *testing.T) {
	for _, row := range []struct {
		name string
		in   bandwidth
		want *model.BandwidthRequest
	}{
		{"nothing", bandwidth{}, nil},
		{"only bursts", bandwidth{IngressBurst: 9, EgressBurst: 9}, nil},
		{"both", bandwidth{IngressRate: 5e6, IngressBurst: 1e6, EgressRate: 1500, EgressBurst: 1}, &model.BandwidthRequest{Send: 2, SendBurst: 1, Receive: 5000, ReceiveBurst: 1000}},
		{"as the kubelet's runtimes ask", bandwidth{EgressRate: 1e7, EgressBurst: 1<<31 - 1}, &model.BandwidthRequest{Send: 10000}},
	} {
		got, err := row.in.request()
		if err != nil || (got == nil) != (row.want == nil) || got != nil && *got != *row.want {
			t.Errorf("%s: want %+v, got %+v, %v", row.name, row.want, got, err)
		}
	}
}
