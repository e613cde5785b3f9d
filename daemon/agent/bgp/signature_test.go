// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/daemon/record"
)

func TestSigns(t *testing.T) {
	for name, row := range map[string]struct {
		password string
		kernel   error
		want     string
	}{
		"without a password":        {"", unix.ENOPROTOOPT, ""},
		"with one":                  {"s3cret", nil, ""},
		"a kernel without":          {"s3cret", unix.ENOPROTOOPT, "50.1.1.200: this host's kernel has no TCP MD5 signatures, which a password takes: run a kernel with CONFIG_TCP_MD5SIG"},
		"a kernel that may not":     {"s3cret", unix.ENOENT, "50.1.1.200: this host's kernel does not take the password for TCP MD5 signatures"},
		"sockets are not permitted": {"s3cret", unix.EPERM, "does not take the password"},
	} {
		err := signs(&Peer{Address: netip.MustParseAddr("50.1.1.200"), Password: row.password}, func(netip.Addr, string) error { return row.kernel })
		if (err == nil) != (row.want == "") || err != nil && (!strings.Contains(err.Error(), row.want) || !errors.Is(err, row.kernel) || strings.Contains(err.Error(), "s3cret")) {
			t.Errorf("%s: want %q, got %v", name, row.want, err)
		}
	}
}

// This machine's kernel takes a password of any length, and for both families, or says that it has none of this.
func TestTrySignature(t *testing.T) {
	for _, to := range []string{"50.1.1.200", "fd50::c8"} {
		for _, password := range []string{"x", strings.Repeat("x", record.MaxPassword)} {
			if err := trySignature(netip.MustParseAddr(to), password); err != nil && !errors.Is(err, unix.ENOPROTOOPT) {
				t.Errorf("%s, %d bytes: %v", to, len(password), err)
			}
		}
	}
}

func TestPasswords(t *testing.T) {
	for text, want := range map[string]string{
		"": "|", "one": "one|one", "one,two": "one|two", ",two": "|two", "one,two,three": "!", "with space": "!", strings.Repeat("x", 81): "!", "\u00e9": "!",
	} {
		c, err := Parse(&record.BGP{Hostname: "h1", RouterIP: "50.1.1.2/24", AS: "65002", Neighbor: "50.1.1.200,50.1.1.201", NeighborAS: "500", Password: text})
		got := "!"
		if err == nil {
			got = c.Peers[0].Password + "|" + c.Peers[1].Password
		} else if !strings.Contains(err.Error(), "password: want ") || text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("%q: want an error without the password, got %v", text, err)
		}
		if got != want {
			t.Errorf("%q: want %q, got %q", text, want, got)
		}
	}
}
