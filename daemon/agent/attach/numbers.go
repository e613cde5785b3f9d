// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"errors"
	"sync"
)

// Ranges of OpenFlow port numbers for endpoints. The gap is for the fixed ports of the switch and for ports that an operator adds; the end
// is the highest number that Open vSwitch lets a client request.
const (
	firstNumber = 1
	holeStart   = 1000
	holeEnd     = 1100
	lastNumber  = 65279
)

// numbers allocates OpenFlow port numbers, the longest unused first, so that flows may precede the port and a number is not reused while
// something still refers to it. An owner, which is an endpoint's state id, has one number at a time, and only the owner releases it.
type numbers struct {
	mu    sync.Mutex
	owner map[uint32]string
	of    map[string]uint32
	next  uint32
}

func newNumbers() *numbers {
	return &numbers{owner: map[uint32]string{}, of: map[string]uint32{}, next: firstNumber}
}

var errNoNumber = errors.New("no OpenFlow port number is free: the switch has 65,000 ports")

// allocate returns the owner's number, or a new one if it has none.
func (n *numbers) allocate(owner string) (uint32, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if number, ok := n.of[owner]; ok {
		return number, nil
	}
	for range lastNumber {
		number := n.next
		n.next++
		if n.next == holeStart {
			n.next = holeEnd + 1
		}
		if n.next > lastNumber {
			n.next = firstNumber
		}
		if _, used := n.owner[number]; !used {
			n.owner[number], n.of[owner] = owner, number
			return number, nil
		}
	}
	return 0, errNoNumber
}

// use assigns a number to the owner, in place of a previous one.
func (n *numbers) use(number uint32, owner string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.drop(owner)
	if before, ok := n.owner[number]; ok {
		delete(n.of, before)
	}
	n.owner[number], n.of[owner] = owner, number
}

// release releases the owner's number.
func (n *numbers) release(owner string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.drop(owner)
}

func (n *numbers) drop(owner string) {
	if number, ok := n.of[owner]; ok {
		delete(n.owner, number)
		delete(n.of, owner)
	}
}
