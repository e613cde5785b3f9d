// SPDX-License-Identifier: Apache-2.0

package model

// Descriptors are file descriptors of a process.
type Descriptors struct {
	Used int `json:"used"` // number of open ones
	Max  int `json:"most"` // limit of the process
}

// spareDescriptors is the number of descriptors that one request may use.
const spareDescriptors = 16

// ShortOfDescriptors returns the severity of a number of open descriptors out of the process's limit: a warning from 80 % on, an error with
// hardly one left. most 0: the limit is unknown.
func ShortOfDescriptors(used, most int) (severity Severity, short bool) {
	switch {
	case most == 0 || used < most/5*4:
		return "", false
	case used > most-spareDescriptors:
		return SeverityError, true
	}
	return SeverityWarning, true
}
