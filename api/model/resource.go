// SPDX-License-Identifier: Apache-2.0

package model

// Descriptors are file descriptors of a process.
type Descriptors struct {
	Used int `json:"used"` // number of open ones
	Max  int `json:"most"` // limit of the process
}

// Resource is something of which a daemon, its machine or its switch has a limited amount.
type Resource struct {
	Name   string `json:"resource"`         // "descriptors", "memory", "processes", "disk", "inodes", "meters" or "groups"; memory and disks are in bytes
	Of     string `json:"of,omitempty"`     // a control group, "machine", or the directories of a disk; absent: of the process itself
	Holds  string `json:"holds,omitempty"`  // what is in the directories of a disk
	Used   uint64 `json:"used"`             // amount in use
	Max    uint64 `json:"max"`              // limit
	Need   uint64 `json:"need,omitempty"`   // if less is left, the resource is exhausted
	Enough uint64 `json:"enough,omitempty"` // if as much is left, the resource is not low, whatever its share; absent: only the share matters
}

// Machine is the value of Resource.Of for what all processes of a machine share.
const Machine = "machine"

// Left returns the amount that is not in use.
func (r *Resource) Left() uint64 { return r.Max - min(r.Used, r.Max) }

// Low returns the severity of the use of a resource: an error if less than Need is left, or nothing; a warning from 80 % on if less than
// Enough is left. low is false otherwise, and if the limit is 0, which stands for unknown.
func (r *Resource) Low() (severity Severity, low bool) {
	switch left := r.Left(); {
	case r.Max == 0:
		return "", false
	case left < max(r.Need, 1):
		return SeverityError, true
	case r.Used < r.Max/5*4+r.Max%5*4/5, r.Enough > 0 && left >= r.Enough:
		return "", false
	}
	return SeverityWarning, true
}
