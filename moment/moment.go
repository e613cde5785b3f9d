// SPDX-License-Identifier: Apache-2.0

// Package moment prints times as users read them, and parses the forms in which users write them, which include all that it prints.
package moment

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Format prints a time with its zone: as RFC 3339 in UTC, or, in a zone, as "2030-01-02 15:04:05 CET". nil is no zone.
func Format(t time.Time, zone *time.Location) string {
	if zone == nil {
		return t.UTC().Format(time.RFC3339)
	}
	return t.In(zone).Format("2006-01-02 15:04:05 MST")
}

// FormatMillis is Format with milliseconds.
func FormatMillis(t time.Time, zone *time.Location) string {
	if zone == nil {
		return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
	}
	return t.In(zone).Format("2006-01-02 15:04:05.000 MST")
}

// Forms describes the accepted times, for help and errors.
const Forms = "a time such as 2030-01-02T15:04:05Z, \"2030-01-02 15:04\" or 15:04, or a duration before now such as 10m or 2d"

// Parse parses a time: RFC 3339, a date and a time of day with or without seconds and zone, a date, a time of day (the last one before now), a
// duration before now such as 90s, 1h30m or 2d, "now", "today" or "yesterday". A time without a zone is in zone.
func Parse(text string, now time.Time, zone *time.Location) (time.Time, error) {
	if zone == nil {
		zone = time.UTC
	}
	text = strings.TrimSpace(text)
	now = now.In(zone)
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, zone)
	switch strings.ToLower(text) {
	case "now":
		return now, nil
	case "today":
		return midnight, nil
	case "yesterday":
		return midnight.AddDate(0, 0, -1), nil
	}
	if d, ok := duration(text); ok {
		return now.Add(-d), nil
	}
	if t, ok := clock(text, now, zone); ok {
		return t, nil
	}
	if t, ok := date(text, zone); ok {
		return t, nil
	}
	return time.Time{}, fmt.Errorf("got %s, want %s", text, Forms)
}

// duration parses a duration of at most a century, also with days: 2d, 1d12h.
func duration(text string) (time.Duration, bool) {
	text = strings.TrimPrefix(text, "-")
	days, rest, has := strings.Cut(text, "d")
	var d time.Duration
	if has {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil || n > 36500 {
			return 0, false
		}
		if d = time.Duration(n) * 24 * time.Hour; rest == "" {
			return d, true
		}
		text = rest
	}
	more, err := time.ParseDuration(text)
	if err != nil || more < 0 {
		return 0, false
	}
	return d + more, true
}

// clock parses a time of day: the last one that is not after now.
func clock(text string, now time.Time, zone *time.Location) (time.Time, bool) {
	for _, layout := range []string{"15:04", "15:04:05"} { // each accepts a fraction of the seconds
		t, err := time.ParseInLocation(layout, text, zone)
		if err != nil {
			continue
		}
		at := func(day int) time.Time {
			return time.Date(now.Year(), now.Month(), day, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone)
		}
		if today := at(now.Day()); !today.After(now) {
			return today, true
		}
		return at(now.Day() - 1), true
	}
	return time.Time{}, false
}

// date parses a date, with or without a time of day and a zone.
func date(text string, zone *time.Location) (time.Time, bool) {
	for _, layout := range []string{
		time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02",
		"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05 -07", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04 -07", "2006-01-02 15:04 -0700",
		"2006-01-02 15:04:05 MST", "2006-01-02 15:04 MST",
	} {
		t, err := time.ParseInLocation(layout, text, zone)
		if err != nil || strings.HasSuffix(layout, "MST") && !known(t, zone) {
			continue
		}
		return t, true
	}
	return time.Time{}, false
}

// known reports whether the abbreviation of a parsed time's zone is one of zone, or of UTC: time.Parse invents a zone for others.
func known(t time.Time, zone *time.Location) bool {
	name, offset := t.Zone()
	own, is := t.In(zone).Zone()
	return name == "UTC" || name == "GMT" || name == own && offset == is
}
