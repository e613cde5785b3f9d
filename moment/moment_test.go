// SPDX-License-Identifier: Apache-2.0

package moment

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestParse(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC) // 04:04:05 CET
	for _, row := range []struct{ text, want string }{
		{"now", "2030-01-02T03:04:05Z"},
		{"10m", "2030-01-02T02:54:05Z"},
		{"-10m", "2030-01-02T02:54:05Z"},
		{"2d", "2029-12-31T03:04:05Z"},
		{"1d12h", "2029-12-31T15:04:05Z"},
		{"today", "2030-01-01T23:00:00Z"},
		{"Yesterday", "2029-12-31T23:00:00Z"},
		{"04:00", "2030-01-02T03:00:00Z"},
		{"13:53:45", "2030-01-01T12:53:45Z"},
		{"2029-07-01", "2029-06-30T22:00:00Z"},
		{"2029-07-01 12:00", "2029-07-01T10:00:00Z"},
		{"2029-07-01T12:00", "2029-07-01T10:00:00Z"},
		{"2029-07-01 12:00:01.5", "2029-07-01T10:00:01Z"},
		{"2029-07-01 12:00:01 CEST", "2029-07-01T10:00:01Z"},
		{"2029-07-01 12:00 UTC", "2029-07-01T12:00:00Z"},
		{"2029-07-01T12:00:01.25+02:00", "2029-07-01T10:00:01Z"},
		{"2029-07-01 12:00:01 -03", "2029-07-01T15:00:01Z"},
		{"2029-07-01 12:00:01 +0530", "2029-07-01T06:30:01Z"},
		{" 2029-07-01T12:00:01Z ", "2029-07-01T12:00:01Z"},
	} {
		if got, err := Parse(row.text, now, berlin); err != nil || got.UTC().Format(time.RFC3339) != row.want {
			t.Errorf("%q: want %s, got %v, %v", row.text, row.want, got, err)
		}
	}
	for _, text := range []string{"", "soon", "25:00", "2029-07-01 12:00 XYZ", "2029-13-01", "99999d", "d", "1dd", "12"} {
		if got, err := Parse(text, now, berlin); err == nil || !strings.Contains(err.Error(), "want a time such as") {
			t.Errorf("%q: want a refusal, got %v, %v", text, got, err)
		}
	}
}

// Every form that is printed is parsed as the same time.
func TestPrintedIsParsed(t *testing.T) {
	for _, at := range []time.Time{time.Date(2030, 1, 2, 3, 4, 5, 678e6, time.UTC), time.Date(2029, 10, 28, 0, 30, 0, 0, time.UTC), time.Date(2029, 10, 28, 1, 30, 0, 0, time.UTC)} {
		for _, z := range []*time.Location{nil, time.UTC, zone(t, "Europe/Berlin"), zone(t, "Asia/Tokyo"), zone(t, "America/Sao_Paulo"), zone(t, "Asia/Kolkata")} {
			for _, text := range []string{Format(at, z), FormatMillis(at, z)} {
				got, err := Parse(text, at, z)
				if err != nil || got.Unix() != at.Unix() {
					t.Errorf("%s in %v: want %v, got %v, %v", text, z, at, got, err)
				}
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"10m", "2d", "15:04", "2030-01-02 15:04:05 CET", "2030-01-02T15:04:05Z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := Parse(text, time.Unix(1e9, 0), time.UTC); err == nil && strings.TrimSpace(text) == "" {
			t.Errorf("%q: got %v", text, got)
		}
	})
}
