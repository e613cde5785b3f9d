package channel

import "github.com/cespare/xxhash/v2"

// Digest says what a shard holds: the sum, modulo 2^64, of a hash of each of its records, which is xxHash64 of the key, a zero byte and the value. So it does not depend
// on an order, an empty shard has 0, and a record that comes or goes costs one addition. Two ends that hold the same have the same digest, whichever ways
// they came to it; ends that differ by accident have the same one once in 2^64 times.
//
// The hash is not cryptographic, and needs not be. A digest is evidence of faults, as a flipped bit, an update that was lost or a defect of ours, not of attacks: an agent
// that lies can say any digest, and gets by that no more than what it may know anyway. Who can choose values can choose two with the same hash, but it takes
// a fault besides for an agent to hold the one where the store has the other. Nothing is taken for unchanged because of a digest.
type Digest uint64

// Add counts a record in.
func (d *Digest) Add(key string, value []byte) { *d += DigestOf(key, value) }

// Remove counts out a record that was counted in.
func (d *Digest) Remove(key string, value []byte) { *d -= DigestOf(key, value) }

// DigestOf is the digest of a shard that has one record.
func DigestOf(key string, value []byte) Digest {
	var h xxhash.Digest
	h.Reset()
	_, _ = h.WriteString(key) // a hash takes everything
	_, _ = h.Write([]byte{0})
	_, _ = h.Write(value)
	return Digest(h.Sum64())
}
