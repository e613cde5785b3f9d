// SPDX-License-Identifier: Apache-2.0

// Package snapshot saves the content of a store in a file, verifies such files, and restores a store from one.
package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/contiv/contiv/daemon/record"
)

// A file is magic, the length of the header (four bytes, the most significant first), the header (JSON), the SHA-256 of all before, and
// then the body: the store's own snapshot, as its own tools take it. The header has the SHA-256 of the body.
const (
	magic     = "contiv snapshot\n"
	format    = 1
	maxHeader = 1 << 20 // bytes
)

// Kinds of stores.
const (
	Embedded = "embedded"
	Etcd     = "etcd"
	Consul   = "consul"
)

// Header describes the origin of a snapshot.
type Header struct {
	Format      int                 `json:"format"`                // of the file; 1
	Contiv      string              `json:"contiv"`                // version of the build that wrote it
	Host        string              `json:"host,omitempty"`        // label of the host that wrote it
	Store       string              `json:"store"`                 // kind of the store: embedded, etcd or consul
	Incarnation *record.Incarnation `json:"incarnation,omitempty"` // of the store; absent if an earlier build wrote the store
	Revision    uint64              `json:"revision"`              // of the store
	Keys        int                 `json:"keys,omitempty"`        // in it; 0: not counted
	Created     time.Time           `json:"created"`
	Size        int64               `json:"size"`   // of the body, in bytes
	SHA256      string              `json:"sha256"` // of the body, in hexadecimal
	// Authority is the fingerprint of the certificate of the cluster's authority; "" without one. AuthorityKey is its certificate and key
	// in PEM, encrypted with a passphrase (age, armored); "": it is not part of the snapshot.
	Authority    string `json:"authority,omitempty"`
	AuthorityKey string `json:"authorityKey,omitempty"`
}

// ErrFormat means that a file is not a snapshot, or one of another format.
var ErrFormat = errors.New("this is not a contiv snapshot of a format that this build reads")

// ErrDamaged means that a file differs from what was written.
var ErrDamaged = errors.New("the snapshot is damaged")

// writeHeader writes all bytes before the body.
func writeHeader(to io.Writer, h *Header) error {
	text, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if len(text) > maxHeader {
		return fmt.Errorf("header: got %d bytes, want at most %d", len(text), maxHeader)
	}
	head := binary.BigEndian.AppendUint32([]byte(magic), uint32(len(text)))
	head = append(head, text...)
	sum := sha256.Sum256(head)
	_, err = to.Write(append(head, sum[:]...))
	return err
}

// ReadHeader reads the header of a file up to the body. It returns ErrFormat or ErrDamaged, with the reason, or the error of reading. Its
// memory is bounded by the largest permitted header.
func ReadHeader(from io.Reader) (Header, error) {
	var h Header
	lead := make([]byte, len(magic)+4)
	if _, err := io.ReadFull(from, lead); err != nil || !bytes.HasPrefix(lead, []byte(magic)) {
		return h, fmt.Errorf("%w: it does not begin with %q", ErrFormat, magic)
	}
	length := binary.BigEndian.Uint32(lead[len(magic):])
	if length > maxHeader {
		return h, fmt.Errorf("%w: length of the header: got %d bytes, want at most %d", ErrDamaged, length, maxHeader)
	}
	rest := make([]byte, int(length)+sha256.Size)
	if n, err := io.ReadFull(from, rest); err != nil {
		return h, fmt.Errorf("%w: it ends after %d of %d bytes of its header", ErrDamaged, n, len(rest))
	}
	text := rest[:length]
	if sum := sha256.Sum256(append(lead, text...)); !bytes.Equal(sum[:], rest[length:]) {
		return h, fmt.Errorf("%w: sum of the header: got %x, want %x", ErrDamaged, rest[length:], sum)
	}
	var v struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return h, fmt.Errorf("%w: header: %w", ErrFormat, err)
	}
	if v.Format != format {
		return h, fmt.Errorf("%w: format: got %d, want %d: use a contiv of the build that wrote it", ErrFormat, v.Format, format)
	}
	if err := json.Unmarshal(text, &h); err != nil {
		return Header{}, fmt.Errorf("%w: header: %w", ErrFormat, err)
	}
	return h, h.check()
}

// check returns an error for a header that contiv does not write.
func (h *Header) check() error {
	switch h.Store {
	case Embedded, Etcd, Consul:
	default:
		return fmt.Errorf("%w: store: got %.40q, want %s, %s or %s", ErrFormat, h.Store, Embedded, Etcd, Consul)
	}
	if sum, err := hex.DecodeString(h.SHA256); err != nil || len(sum) != sha256.Size || h.Size < 0 {
		return fmt.Errorf("%w: size or sum of the body: got %d, %.80q", ErrFormat, h.Size, h.SHA256)
	}
	if h.Incarnation != nil {
		if err := h.Incarnation.Check(); err != nil {
			return fmt.Errorf("%w: %w", ErrFormat, err)
		}
	}
	return nil
}

// copyBody copies the body that follows a header, and verifies its checksum.
func (h *Header) copyBody(to io.Writer, from io.Reader) error {
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(from, h.Size))
	if err != nil {
		return err
	}
	if n < h.Size {
		return fmt.Errorf("%w: it ends after %d of %d bytes of its body", ErrDamaged, n, h.Size)
	}
	if got := sumOf(sum); got != h.SHA256 {
		return fmt.Errorf("%w: sum of the body: got %s, want %s", ErrDamaged, got, h.SHA256)
	}
	if n, _ := io.ReadFull(from, make([]byte, 1)); n > 0 {
		return fmt.Errorf("%w: got bytes after its body, want none", ErrDamaged)
	}
	return nil
}

func sumOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
