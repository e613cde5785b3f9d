// SPDX-License-Identifier: Apache-2.0

package find

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/daemon/master/auth"
)

// The index is kept while searches follow each other, and dropped some time after the last; the next search recreates it.
func TestFinder_DropsIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := New(populated(t, 10))
		has := func() bool {
			synctest.Wait()
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.index != nil
		}
		for round := range 2 {
			for range 3 {
				answer, err := f.search(&auth.Subject{Anyone: true}, "web-4", defaultLimit)
				if err != nil || answer.Total != 1 || !has() {
					t.Fatalf("round %d: got %+v, %v", round, answer, err)
				}
				<-time.After(idle - time.Second)
			}
			if !has() {
				t.Errorf("round %d: the index was dropped before its time", round)
			}
			if <-time.After(2 * time.Second); has() {
				t.Errorf("round %d: the index of an unused search is kept", round)
			}
		}
	})
}
