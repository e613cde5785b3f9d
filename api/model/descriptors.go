package model

// Descriptors are file descriptors of a process.
type Descriptors struct {
	Used int `json:"used"` // that it has open
	Max  int `json:"most"` // that it may have
}

// spareDescriptors are so few that one request may take them.
const spareDescriptors = 16

// ShortOfDescriptors says how bad it is to have used that many of the most that a process may have: a warning from 80 % on, an error with hardly one left. most 0: it is
// not known.
func ShortOfDescriptors(used, most int) (severity Severity, short bool) {
	switch {
	case most == 0 || used < most/5*4:
		return "", false
	case used > most-spareDescriptors:
		return SeverityError, true
	}
	return SeverityWarning, true
}
