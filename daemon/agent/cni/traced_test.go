// SPDX-License-Identifier: Apache-2.0

package cni

import (
	"strconv"
	"testing"
	"time"

	"github.com/contiv/contiv/cni/wire"
)

// The start that a plugin states counts if it can be true.
func TestStarted(t *testing.T) {
	now := time.Unix(1700000000, 5)
	for _, row := range []struct {
		text string
		want time.Time
	}{
		{strconv.FormatInt(now.Add(-time.Second).UnixNano(), 10), now.Add(-time.Second)},
		{strconv.FormatInt(now.Add(time.Second).UnixNano(), 10), time.Time{}},
		{strconv.FormatInt(now.Add(-time.Hour).UnixNano(), 10), time.Time{}},
		{"yesterday", time.Time{}}, {"", time.Time{}}, {"99999999999999999999", time.Time{}},
	} {
		if got := started(environment{wire.EnvStarted: row.text}, now); !got.Equal(row.want) {
			t.Errorf("%q: got %v, want %v", row.text, got, row.want)
		}
	}
}
