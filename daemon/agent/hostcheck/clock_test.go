// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

func TestClock(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name    string
		masters []time.Duration // by how much their clocks are ahead of this host's; an hour and a nanosecond: no answer
		want    string          // in what is found; "": nothing is
	}{
		{"the same", []time.Duration{0, time.Second, -time.Second}, ""},
		{"a little", []time.Duration{29 * time.Second}, ""},
		{"ahead", []time.Duration{-time.Hour, -time.Hour, -time.Hour}, "is 1h0m0s ahead of the clocks"},
		{"behind", []time.Duration{time.Hour, time.Hour, time.Hour}, "is 1h0m0s behind the clocks"},
		{"behind one", []time.Duration{time.Hour}, "is 1h0m0s behind the clocks"},
		{"behind, with a netmaster of the same clock on this host", []time.Duration{time.Hour, time.Hour, 0}, "is 1h0m0s behind the clocks"},
		{"ahead, with a netmaster of the same clock on this host", []time.Duration{-time.Hour, 0, -time.Hour}, "is 1h0m0s ahead of the clocks"},
		{"a netmaster's own clock is wrong", []time.Duration{0, time.Hour, 0}, ""},
		{"two netmasters that differ", []time.Duration{0, time.Hour}, ""},
		{"two netmasters that differ the other way", []time.Duration{0, -time.Hour}, ""},
		{"two netmasters, none of which agrees", []time.Duration{-time.Hour, -2 * time.Hour}, "is 1h0m0s ahead of the clocks"},
		{"two netmasters, none of which agrees, the other way", []time.Duration{time.Hour, 2 * time.Hour}, "is 1h0m0s behind the clocks"},
		{"no netmaster", nil, ""},
		{"no answer", []time.Duration{time.Hour + 1}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := &Clock{Host: "h1", Now: func() time.Time { return now }}
			c.Masters = func(context.Context) (urls []string) {
				for _, ahead := range row.masters {
					urls = append(urls, ahead.String())
				}
				return urls
			}
			c.Ask = func(_ context.Context, url string) (time.Time, error) {
				ahead, err := time.ParseDuration(url)
				if ahead == time.Hour+1 {
					err = errors.New("did not answer")
				}
				return now.Add(ahead), err
			}
			got := c.Check().Look(t.Context())
			if row.want == "" {
				if len(got) > 0 {
					t.Errorf("want no finding, got %+v", got)
				}
				return
			}
			if len(got) != 1 || got[0].Code != model.FindingClockDiffers || got[0].Object != "host/h1" || !strings.Contains(got[0].Evidence, row.want) {
				t.Errorf("want %s, got %+v", row.want, got)
			}
		})
	}
}
