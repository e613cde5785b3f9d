// SPDX-License-Identifier: Apache-2.0

package openflow

// Experimenter numbers and the bundle extension for OpenFlow 1.3 (ONF EXT-230), as Open vSwitch speaks it.
const (
	experimenterONF = 0x4f4e4600
	bundleControl   = 2300
	bundleAdd       = 2301

	bundleAtomic  = 1
	bundleOrdered = 2
)

// BundleStep is the request or the reply of a BundleControl.
type BundleStep uint16

// The steps; a reply is the request's number plus one.
const (
	BundleOpen    BundleStep = 0
	BundleClose   BundleStep = 2
	BundleCommit  BundleStep = 4
	BundleDiscard BundleStep = 6
)

// BundleControl opens, commits or discards a bundle. Bundles are atomic and ordered.
type BundleControl struct {
	ID   uint32
	Step BundleStep
}

// Type is TypeExperimenter.
func (*BundleControl) Type() Type { return TypeExperimenter }

func (m *BundleControl) append(b []byte, _ uint32) []byte {
	b = be.AppendUint32(b, experimenterONF)
	b = be.AppendUint32(b, bundleControl)
	b = be.AppendUint32(b, m.ID)
	b = be.AppendUint16(b, uint16(m.Step))
	return be.AppendUint16(b, bundleAtomic|bundleOrdered)
}

// BundleAdd puts a FlowMod or GroupMod into an open bundle; the message inside gets the same xid.
type BundleAdd struct {
	ID      uint32
	Message Message
}

// Type is TypeExperimenter.
func (*BundleAdd) Type() Type { return TypeExperimenter }

func (m *BundleAdd) append(b []byte, xid uint32) []byte {
	b = be.AppendUint32(b, experimenterONF)
	b = be.AppendUint32(b, bundleAdd)
	b = be.AppendUint32(b, m.ID)
	b = append(b, 0, 0, 0, bundleAtomic|bundleOrdered)
	start := len(b)
	b = append(b, Version, byte(m.Message.Type()), 0, 0)
	b = be.AppendUint32(b, xid)
	b = m.Message.append(b, xid)
	be.PutUint16(b[start+2:], uint16(min(len(b)-start, maxMessage))) // Append refuses the whole message if it is longer
	return b
}

// Experimenter is an extension message that the package does not know.
type Experimenter struct {
	ID, Kind uint32
	Body     []byte
}

// Type is TypeExperimenter.
func (*Experimenter) Type() Type { return TypeExperimenter }

func (m *Experimenter) append(b []byte, _ uint32) []byte {
	b = be.AppendUint32(b, m.ID)
	b = be.AppendUint32(b, m.Kind)
	return append(b, m.Body...)
}

func decodeExperimenter(r *reader) Message {
	id, kind := r.u32(), r.u32()
	switch {
	case id == experimenterONF && kind == bundleControl:
		m := &BundleControl{ID: r.u32(), Step: BundleStep(r.u16())}
		r.skip(2)
		return m
	case id == experimenterONF && kind == bundleAdd:
		m := &BundleAdd{ID: r.u32()}
		r.skip(4)
		inner := r.sub("message in a bundle", 2, headerSize)
		if r.err != nil {
			return m
		}
		if t := Type(inner[1]); t == TypeExperimenter {
			r.fail("bundle holds a message of type %d", t)
			return m
		}
		in := &reader{b: inner[headerSize:]}
		m.Message = decodeBody(Type(inner[1]), inner[0], in)
		r.err = in.err
		return m
	case id == experimenterNicira && kind == ctFlush:
		return decodeCTFlush(r)
	}
	return &Experimenter{ID: id, Kind: kind, Body: clone(r.b)}
}
