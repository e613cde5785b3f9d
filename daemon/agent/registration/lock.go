// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Lock is the right to work with the Open vSwitch of a directory: one process has it at a time, and releases it when it ends for any
// reason. Its token stays the same until the machine reboots, so it distinguishes a restarted agent from that of a clone.
type Lock struct {
	Token string
	file  *os.File
}

// ErrTaken reports that another process holds the lock.
var ErrTaken = errors.New("another agent works with this Open vSwitch")

// Acquire locks a lock file, which it creates if necessary. ErrTaken: another process holds it. It does not block.
func Acquire(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	s := &Lock{file: f}
	switch err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
	case errors.Is(err, unix.EWOULDBLOCK):
		err = fmt.Errorf("%w: it holds %s; end it first (fuser %s names it)", ErrTaken, path, path)
	case err != nil:
		err = fmt.Errorf("lock %s: %w", path, err)
	default:
		err = s.read()
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return s, nil
}

// Leave releases the lock.
func (s *Lock) Leave() { _ = s.file.Close() }

// tokenBytes is the length of a token, which the file holds in hexadecimal.
const tokenBytes = 16

// read reads the token, or creates one.
func (s *Lock) read() error {
	text, err := io.ReadAll(io.LimitReader(s.file, 4*tokenBytes))
	if err != nil {
		return fmt.Errorf("read %s: %w", s.file.Name(), err)
	}
	s.Token = strings.TrimSpace(string(text))
	if b, err := hex.DecodeString(s.Token); err == nil && len(b) == tokenBytes {
		return nil
	}
	var b [tokenBytes]byte
	_, _ = rand.Read(b[:]) // it never fails
	s.Token = hex.EncodeToString(b[:])
	if err = s.file.Truncate(0); err == nil {
		_, err = s.file.WriteAt([]byte(s.Token+"\n"), 0)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", s.file.Name(), err)
	}
	return nil
}
