// SPDX-License-Identifier: Apache-2.0

package openflow

import "fmt"

// Error is the switch's refusal of the message with the same xid. It is also a Go error.
type Error struct {
	Kind, Code   uint16
	Experimenter uint32 // of an error with Kind 0xffff; then Code is the experimenter's own number
	Data         []byte // the first bytes of the refused message
}

// Type is TypeError.
func (*Error) Type() Type { return TypeError }

const errorExperimenter = 0xffff

func (m *Error) append(b []byte, _ uint32) []byte {
	b = be.AppendUint16(b, m.Kind)
	b = be.AppendUint16(b, m.Code)
	if m.Kind == errorExperimenter {
		b = be.AppendUint32(b, m.Experimenter)
	}
	return append(b, m.Data...)
}

func decodeError(r *reader) *Error {
	m := &Error{Kind: r.u16(), Code: r.u16()}
	if m.Kind == errorExperimenter {
		m.Experimenter = r.u32()
	}
	m.Data = clone(r.b)
	return m
}

// Error returns ovs-ofctl's name of the refusal, or its numbers if this package knows no name.
func (m *Error) Error() string {
	if m.Kind == errorExperimenter {
		if m.Experimenter == experimenterONF {
			if name, ok := bundleErrors[m.Code]; ok {
				return name
			}
		}
		return fmt.Sprintf("experimenter %#x error %d", m.Experimenter, m.Code)
	}
	if int(m.Kind) < len(errorNames) {
		if names := errorNames[m.Kind]; int(m.Code) < len(names) {
			return names[m.Code]
		}
	}
	return fmt.Sprintf("error type %d code %d", m.Kind, m.Code)
}

// bundleErrors are the errors of the bundle extension (ONF EXT-230).
var bundleErrors = map[uint16]string{
	2300: "OFPBFC_UNKNOWN", 2301: "OFPBFC_EPERM", 2302: "OFPBFC_BAD_ID", 2303: "OFPBFC_BUNDLE_EXIST",
	2304: "OFPBFC_BUNDLE_CLOSED", 2305: "OFPBFC_OUT_OF_BUNDLES", 2306: "OFPBFC_BAD_TYPE", 2307: "OFPBFC_BAD_FLAGS",
	2308: "OFPBFC_MSG_BAD_LEN", 2309: "OFPBFC_MSG_BAD_XID", 2310: "OFPBFC_MSG_UNSUP", 2311: "OFPBFC_MSG_CONFLICT",
	2312: "OFPBFC_MSG_TOO_MANY", 2313: "OFPBFC_MSG_FAILED", 2314: "OFPBFC_TIMEOUT", 2315: "OFPBFC_BUNDLE_IN_PROGRESS",
}

// errorNames are the errors of OpenFlow 1.3.5 section 7.4.4 by type and code.
var errorNames = [...][]string{
	0: {"OFPHFC_INCOMPATIBLE", "OFPHFC_EPERM"},
	1: {"OFPBRC_BAD_VERSION", "OFPBRC_BAD_TYPE", "OFPBRC_BAD_MULTIPART", "OFPBRC_BAD_EXPERIMENTER",
		"OFPBRC_BAD_EXP_TYPE", "OFPBRC_EPERM", "OFPBRC_BAD_LEN", "OFPBRC_BUFFER_EMPTY", "OFPBRC_BUFFER_UNKNOWN",
		"OFPBRC_BAD_TABLE_ID", "OFPBRC_IS_SLAVE", "OFPBRC_BAD_PORT", "OFPBRC_BAD_PACKET",
		"OFPBRC_MULTIPART_BUFFER_OVERFLOW"},
	2: {"OFPBAC_BAD_TYPE", "OFPBAC_BAD_LEN", "OFPBAC_BAD_EXPERIMENTER", "OFPBAC_BAD_EXP_TYPE", "OFPBAC_BAD_OUT_PORT",
		"OFPBAC_BAD_ARGUMENT", "OFPBAC_EPERM", "OFPBAC_TOO_MANY", "OFPBAC_BAD_QUEUE", "OFPBAC_BAD_OUT_GROUP",
		"OFPBAC_MATCH_INCONSISTENT", "OFPBAC_UNSUPPORTED_ORDER", "OFPBAC_BAD_TAG", "OFPBAC_BAD_SET_TYPE",
		"OFPBAC_BAD_SET_LEN", "OFPBAC_BAD_SET_ARGUMENT"},
	3: {"OFPBIC_UNKNOWN_INST", "OFPBIC_UNSUP_INST", "OFPBIC_BAD_TABLE_ID", "OFPBIC_UNSUP_METADATA",
		"OFPBIC_UNSUP_METADATA_MASK", "OFPBIC_BAD_EXPERIMENTER", "OFPBIC_BAD_EXP_TYPE", "OFPBIC_BAD_LEN",
		"OFPBIC_EPERM", "OFPBIC_DUP_INST"},
	4: {"OFPBMC_BAD_TYPE", "OFPBMC_BAD_LEN", "OFPBMC_BAD_TAG", "OFPBMC_BAD_DL_ADDR_MASK", "OFPBMC_BAD_NW_ADDR_MASK",
		"OFPBMC_BAD_WILDCARDS", "OFPBMC_BAD_FIELD", "OFPBMC_BAD_VALUE", "OFPBMC_BAD_MASK", "OFPBMC_BAD_PREREQ",
		"OFPBMC_DUP_FIELD", "OFPBMC_EPERM"},
	5: {"OFPFMFC_UNKNOWN", "OFPFMFC_TABLE_FULL", "OFPFMFC_BAD_TABLE_ID", "OFPFMFC_OVERLAP", "OFPFMFC_EPERM",
		"OFPFMFC_BAD_TIMEOUT", "OFPFMFC_BAD_COMMAND", "OFPFMFC_BAD_FLAGS"},
	6: {"OFPGMFC_GROUP_EXISTS", "OFPGMFC_INVALID_GROUP", "OFPGMFC_WEIGHT_UNSUPPORTED", "OFPGMFC_OUT_OF_GROUPS",
		"OFPGMFC_OUT_OF_BUCKETS", "OFPGMFC_CHAINING_UNSUPPORTED", "OFPGMFC_WATCH_UNSUPPORTED", "OFPGMFC_LOOP",
		"OFPGMFC_UNKNOWN_GROUP", "OFPGMFC_CHAINED_GROUP", "OFPGMFC_BAD_TYPE", "OFPGMFC_BAD_COMMAND",
		"OFPGMFC_BAD_BUCKET", "OFPGMFC_BAD_WATCH", "OFPGMFC_EPERM"},
	7:  {"OFPPMFC_BAD_PORT", "OFPPMFC_BAD_HW_ADDR", "OFPPMFC_BAD_CONFIG", "OFPPMFC_BAD_ADVERTISE", "OFPPMFC_EPERM"},
	8:  {"OFPTMFC_BAD_TABLE", "OFPTMFC_BAD_CONFIG", "OFPTMFC_EPERM"},
	9:  {"OFPQOFC_BAD_PORT", "OFPQOFC_BAD_QUEUE", "OFPQOFC_EPERM"},
	10: {"OFPSCFC_BAD_FLAGS", "OFPSCFC_BAD_LEN", "OFPSCFC_EPERM"},
	11: {"OFPRRFC_STALE", "OFPRRFC_UNSUP", "OFPRRFC_BAD_ROLE"},
	12: {"OFPMMFC_UNKNOWN", "OFPMMFC_METER_EXISTS", "OFPMMFC_INVALID_METER", "OFPMMFC_UNKNOWN_METER",
		"OFPMMFC_BAD_COMMAND", "OFPMMFC_BAD_FLAGS", "OFPMMFC_BAD_RATE", "OFPMMFC_BAD_BURST", "OFPMMFC_BAD_BAND",
		"OFPMMFC_BAD_BAND_DETAIL", "OFPMMFC_OUT_OF_METERS", "OFPMMFC_OUT_OF_BANDS"},
}
