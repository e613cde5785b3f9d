package attach

import (
	"errors"
	"sync"
)

// Ranges of OpenFlow port numbers for endpoints. The hole is for the fixed ports of the switch and what else an
// operator plugs in; the end is the highest number that Open vSwitch lets one request.
const (
	firstNumber = 1
	holeStart   = 1000
	holeEnd     = 1100
	lastNumber  = 65279
)

// numbers hands out OpenFlow port numbers, the longest unused ones first, so that flows may go in before the port and
// a number does not come back while something still refers to it. An owner, which is an endpoint's state id, has one number at
// a time, and no one else gives that back.
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

// allocate returns the owner's number, a new one when it has none.
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

// use says that the owner has a number, and none that it had before.
func (n *numbers) use(number uint32, owner string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.drop(owner)
	if before, ok := n.owner[number]; ok {
		delete(n.of, before)
	}
	n.owner[number], n.of[owner] = owner, number
}

// release gives the owner's number back.
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
