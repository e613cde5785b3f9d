// SPDX-License-Identifier: Apache-2.0

package flow

// Share is a part of all flows, by their owners: those whose owner number modulo Of is At. Of is a power of two up to MaxShares. The zero
// Share, and one of 1, is all flows.
type Share struct{ At, Of uint64 }

// MaxShares is the maximum number of parts. For each of them a switch reads all its flows.
const MaxShares = 32

// Mask returns the part of a cookie that decides; a switch that selects flows by At under it lists the share.
func (s Share) Mask() uint64 { return max(s.Of, 1) - 1 }

// Has reports whether a flow with the cookie belongs to the share.
func (s Share) Has(c Cookie) bool { return uint64(c)&s.Mask() == s.At }

// First reports whether the share is the first of its division.
func (s Share) First() bool { return s.At == 0 }

// Last reports whether the share is the last of its division.
func (s Share) Last() bool { return s.At == s.Mask() }

// Shares divides flows so that no part has many more than size.
func Shares(flows, size int) []Share {
	of := uint64(1)
	for of < MaxShares && uint64(flows) > of*uint64(size) {
		of *= 2
	}
	out := make([]Share, of)
	for i := range out {
		out[i] = Share{uint64(i), of}
	}
	return out
}
