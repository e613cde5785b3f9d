// SPDX-License-Identifier: Apache-2.0

package model

// SnapshotStatus is the status of a netmaster's scheduled snapshots of the store, on its own disk.
type SnapshotStatus struct {
	Dir      string `json:"dir"`
	Interval string `json:"every"` // a duration
	Keep     int    `json:"keep"`
	Last     string `json:"last,omitempty"`     // RFC 3339: when the newest was saved; absent if there is none
	Revision uint64 `json:"revision,omitempty"` // of the store in it
	Bytes    int64  `json:"bytes,omitempty"`    // of its file
	Old      bool   `json:"old,omitempty"`      // two more were due since
	Error    string `json:"error,omitempty"`    // of the last attempt; "": it succeeded
}
