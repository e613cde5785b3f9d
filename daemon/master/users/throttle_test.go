package users

import (
	"fmt"
	"testing"
	"time"
)

// Who has used up the attempts as a user does not get them back by trying as ever so many others, from wherever.
func TestThrottle_Flood(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	h := newThrottle(func() time.Time { return now })
	for range attemptsOfUser {
		if err := h.enter("ann", "192.0.2.1"); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2 * mostCounted {
		_ = h.enter(fmt.Sprint("user", i), fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255))
	}
	if len(h.counters) > mostCounted {
		t.Errorf("%d are counted", len(h.counters))
	}
	if err := h.enter("ann", "192.0.2.9"); err == nil {
		t.Error("the attempts as ann are forgotten")
	}
}
