// SPDX-License-Identifier: Apache-2.0

package channel

import "github.com/cespare/xxhash/v2"

// Digest is a digest of a shard's content: the sum, modulo 2^64, of a hash of each of its records, which is xxHash64 of the key, a zero
// byte and the value. So it does not depend on an order, an empty shard has 0, and adding or removing a record costs one addition. Equal
// contents have the same digest, however they came about; contents that differ by accident have the same one once in 2^64 times.
//
// The hash is not cryptographic, and need not be. A digest is evidence of faults, such as a flipped bit, a lost update or a bug, not of
// attacks: a lying agent can send any digest, and gains no more than it may know anyway. An author of values can find two with the same
// hash, but only an additional fault would make an agent hold the one while the store has the other. A digest never causes anything to be
// regarded as unchanged.
type Digest uint64

// Add adds a record.
func (d *Digest) Add(key string, value []byte) { *d += DigestOf(key, value) }

// Remove removes a record that was added.
func (d *Digest) Remove(key string, value []byte) { *d -= DigestOf(key, value) }

// DigestOf returns the digest of a shard with one record.
func DigestOf(key string, value []byte) Digest {
	var h xxhash.Digest
	h.Reset()
	_, _ = h.WriteString(key) // a hash never fails
	_, _ = h.Write([]byte{0})
	_, _ = h.Write(value)
	return Digest(h.Sum64())
}
