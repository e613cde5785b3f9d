// SPDX-License-Identifier: Apache-2.0

package app

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is a pseudo terminal: what a console has, and what its owner has.
func terminal(t *testing.T) (own, owner *os.File) {
	t.Helper()
	owner, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = owner.Close() })
	fd := int(owner.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if own, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = own.Close() })
	return own, owner
}

func TestHungUp(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(owner *os.File, cancel func())
		want bool
	}{
		{"the terminal is closed", func(owner *os.File, _ func()) { _ = owner.Close() }, true},
		{"the console ends", func(_ *os.File, cancel func()) { cancel() }, false},
		{"after input, which is no end", func(owner *os.File, cancel func()) { _, _ = owner.WriteString("q\n"); cancel() }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			own, owner := terminal(t)
			gone, errs := make(chan bool, 1), make(chan error, 1)
			go func() {
				is, err := hungUp(ctx, own)
				gone <- is
				errs <- err
			}()
			tt.end(owner, cancel)
			if is, err := <-gone, <-errs; is != tt.want || err != nil {
				t.Errorf("want the terminal gone: %t, got %t, %v", tt.want, is, err)
			}
		})
	}
}
