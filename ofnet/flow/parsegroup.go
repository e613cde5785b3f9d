// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseGroup reads a group in the text form of ovs-ofctl.
func ParseGroup(line string, names Tables) (Group, error) {
	var g Group
	head, rest, has := strings.Cut(strings.TrimSpace(line), ",bucket=")
	for _, item := range splitTop(head) {
		key, value, _ := strings.Cut(item, "=")
		switch key {
		case "group_id":
			v, err := strconv.ParseUint(value, 0, 32)
			if err != nil {
				return g, fmt.Errorf("group %q: %q is no id", short(line), value)
			}
			g.ID = uint32(v)
		case "type":
			known := false
			for n, t := range groupTypes {
				if t == value {
					g.Type, known = GroupType(n), true
				}
			}
			if !known {
				return g, fmt.Errorf("group %q: type %q is unknown", short(line), value)
			}
		default:
			return g, fmt.Errorf("group %q: %q is unknown", short(line), item)
		}
	}
	if !has {
		return g, nil
	}
	var buckets []Bucket
	size := 0
	for text := range strings.SplitSeq(rest, ",bucket=") {
		k, err := parseBucket(text, names)
		if err != nil {
			return g, fmt.Errorf("group %q: %w", short(line), err)
		}
		if size += 16 + len(k.Actions.wire); size > 0xff00 {
			return g, fmt.Errorf("group %q: its buckets are too long for a message", short(line))
		}
		buckets = append(buckets, k)
	}
	g.Buckets = NewBuckets(buckets...)
	return g, nil
}

func parseBucket(text string, names Tables) (k Bucket, err error) {
	head, acts, _ := strings.Cut(text, "actions=")
	for item := range strings.SplitSeq(head, ",") {
		key, value, _ := strings.Cut(item, ":")
		var v uint64
		switch key {
		case "":
		case "weight":
			v, err = strconv.ParseUint(value, 10, 16)
			k.Weight = uint16(v)
		case "watch_port":
			v, err = strconv.ParseUint(value, 10, 32)
			k.WatchPort = uint32(v)
		case "bucket_id": // a dump of OpenFlow 1.5 shows it
		default:
			err = fmt.Errorf("bucket part %q is unknown", item)
		}
		if err != nil {
			return k, err
		}
	}
	k.Actions, err = ParseActions(acts, names)
	return k, err
}

// ParseMeter reads a meter with one drop band in the text form of ovs-ofctl.
func ParseMeter(line string) (m Meter, err error) {
	number := func(s string) uint32 {
		v, e := strconv.ParseUint(s, 0, 32)
		if e != nil {
			err = fmt.Errorf("meter %q: %q is no number", short(line), s)
		}
		return uint32(v)
	}
	drop := false
	for _, item := range strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' }) {
		item = strings.TrimPrefix(strings.TrimPrefix(item, "bands="), "band=")
		key, value, _ := strings.Cut(item, "=")
		switch key {
		case "meter":
			m.ID = number(value)
		case "pktps":
			m.Packets = true
		case "kbps", "burst":
		case "type":
			drop = value == "drop"
		case "rate":
			m.Rate = number(value)
		case "burst_size":
			m.Burst = number(value)
		default:
			return m, fmt.Errorf("meter %q: %q is unknown", short(line), item)
		}
	}
	if err == nil && !drop {
		err = fmt.Errorf("meter %q has no drop band", short(line))
	}
	return m, err
}
