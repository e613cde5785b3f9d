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
// a number does not come back while something still refers to it.
type numbers struct {
	mu   sync.Mutex
	used map[uint32]bool
	next uint32
}

func newNumbers() *numbers { return &numbers{used: map[uint32]bool{}, next: firstNumber} }

var errNoNumber = errors.New("no OpenFlow port number is free: the switch has 65,000 ports")

func (n *numbers) take() (uint32, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for range lastNumber {
		number := n.next
		n.next++
		if n.next == holeStart {
			n.next = holeEnd + 1
		}
		if n.next > lastNumber {
			n.next = firstNumber
		}
		if !n.used[number] {
			n.used[number] = true
			return number, nil
		}
	}
	return 0, errNoNumber
}

// use marks a number that is taken already.
func (n *numbers) use(number uint32) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.used[number] = true
}

func (n *numbers) release(number uint32) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.used, number)
}
