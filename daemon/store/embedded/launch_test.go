// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"errors"
	"net"
	"syscall"
	"testing"

	"go.etcd.io/etcd/server/v3/embed"
)

// A chosen port that is taken before the server listens there is chosen again; a port that an operator names is an error.
func TestTakenPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, row := range []struct {
		name   string
		chosen bool
		taken  int // configurations whose port is taken
		tries  int
		want   error
	}{
		{"free", true, 0, 1, nil}, {"taken once", true, 1, 2, nil}, {"always taken", true, 9, 5, syscall.EADDRINUSE}, {"named", false, 9, 1, syscall.EADDRINUSE},
	} {
		dir, tries := t.TempDir(), 0
		_, e, err := launch(func() (*embed.Config, error) {
			c := Config{Dir: dir}
			if tries++; tries <= row.taken {
				c.PeerURL = "http://" + l.Addr().String()
			}
			return configure(c, nil)
		}, row.chosen)
		if !errors.Is(err, row.want) || tries != row.tries {
			t.Errorf("%s: want %v after %d tries, got %v after %d", row.name, row.want, row.tries, err, tries)
		}
		if err == nil {
			e.Close()
		}
	}
}
