// SPDX-License-Identifier: Apache-2.0

package openflow

import "sync"

// call waits for the replies to messages with xids first to last.
type call struct {
	first, last uint32
	done        chan struct{} // closed after the last reply

	mu sync.Mutex
	// append receives the answer to message i in the reader goroutine, and returns true after the last one; nil if nobody waits any longer.
	append func(i int, m Message) bool
}

// reply handles the answer to message i, and reports whether it is the last one.
func (k *call) reply(i int, m Message) (last bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.append != nil && k.append(i, m)
}

// leave stops the handling of answers. It blocks while one is being handled.
func (k *call) leave() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.append = nil
}
