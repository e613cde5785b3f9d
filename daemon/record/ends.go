package record

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
)

// Ends is a digest of which host has which tunnel end, of hosts in the order of their labels: two lists that agree have the same.
func Ends(hosts []*Host) string {
	sum := fnv.New64a()
	for _, h := range hosts {
		b := append([]byte(h.Label), 0)
		b = append(b, h.VTEP.AsSlice()...)
		b = binary.BigEndian.AppendUint16(b, uint16(h.Port))
		_, _ = sum.Write(b) // a hash takes everything
	}
	return fmt.Sprintf("%d/%016x", len(hosts), sum.Sum64())
}
