package node

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"
)

func TestAddressesOf(t *testing.T) {
	lookup := func(_ context.Context, network, host string) ([]netip.Addr, error) {
		if network != "ip" || host != "etcd.example" {
			return nil, errors.New("no such host")
		}
		return []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")}, nil
	}
	got := addressesOf(t.Context(), []string{"http://10.0.0.1:2379", "https://[fd00::2]:2379", "http://etcd.example:2379", "http://gone.example:2379", "http://bad url"}, lookup)
	if want := "[10.0.0.1 fd00::2 192.0.2.1 2001:db8::1]"; fmt.Sprint(got) != want {
		t.Errorf("want %s, got %v", want, got)
	}
	if got := addressesOf(t.Context(), []string{"http://10.0.0.1:2379", "http://etcd.example:2379"}, nil); fmt.Sprint(got) != "[10.0.0.1]" {
		t.Errorf("without a lookup: want [10.0.0.1], got %v", got)
	}
}
