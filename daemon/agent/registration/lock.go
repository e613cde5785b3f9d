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

// Lock is the right to work with the Open vSwitch of a folder: one process has it at a time, and loses it with its end, however
// that comes. Its token stays the same until the machine starts again, so it tells a restarted agent from that of a clone.
type Lock struct {
	Token string
	file  *os.File
}

// ErrTaken says that another process has the seat.
var ErrTaken = errors.New("another agent works with this Open vSwitch")

// Acquire takes the seat of a lock file, which it makes. ErrTaken: another process has it. It does not block.
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

// Leave gives the seat up.
func (s *Lock) Leave() { _ = s.file.Close() }

// tokenBytes is the length of a token, of which the file holds the hexadecimal digits.
const tokenBytes = 16

// read reads the token, or makes one.
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
