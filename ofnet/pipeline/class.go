// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// The metadata field has the classes of sender and receiver, with their isolation. They are written after the tracker's lookup, for the
// same reason that keeps the generation out of registers.
const (
	regClasses = flow.Metadata
	srcClass   = 0  // first bit of the sender's 32
	dstClass   = 32 // of the receiver's
	classBits  = 30
	isolatedIn = 31 // relative to the first bit: its receiving is isolated; sending is one bit below
)

// isolatedBit is the bit by which an end whose class begins at first is isolated in a direction.
func isolatedBit(first int, d ofnet.Direction) int {
	if d == ofnet.In {
		return first + isolatedIn
	}
	return first + isolatedIn - 1
}

// classOf is the value of an endpoint's half of the field.
func classOf(class uint32, isolated ofnet.Direction) uint64 {
	v := uint64(class)
	for _, d := range []ofnet.Direction{ofnet.In, ofnet.Out} {
		if isolated&d != 0 {
			v |= 1 << isolatedBit(0, d)
		}
	}
	return v
}

// loadClass appends the actions that write an endpoint's class, at one end; most endpoints need none.
func loadClass(steps []flow.Action, first int, class uint32, isolated ofnet.Direction) []flow.Action {
	if class == 0 && isolated == 0 {
		return steps
	}
	return append(steps, flow.Load(flow.Range(regClasses, first, first+31), classOf(class, isolated)))
}

// inClass matches the class of an end.
func inClass(first int, class uint32) flow.Term {
	return flow.EqBits(flow.Range(regClasses, first, first+classBits-1), uint64(class))
}

// classSide holds the differences between the two directions.
type classSide struct {
	admin, netpol, after flow.TableID
	own, peer            int        // first bits of the classes
	isolated             int        // the bit that isolates the own side
	peer4, peer6         flow.Field // addresses
	decided              flow.Field // register for the number of the deciding policy
}

func classSideOf(d ofnet.Direction) classSide {
	if d == ofnet.In {
		return classSide{admin: tAdminIn, netpol: tNetpolIn, after: tCommit, own: dstClass, peer: srcClass,
			isolated: isolatedBit(dstClass, d), peer4: flow.IPSrc, peer6: flow.IPv6Src, decided: regRuleIn}
	}
	return classSide{admin: tAdminOut, netpol: tNetpolOut, after: tReplicate, own: srcClass, peer: dstClass,
		isolated: isolatedBit(srcClass, d), peer4: flow.IPDst, peer6: flow.IPv6Dst, decided: regRuleOut}
}

// table is the table of a stage.
func (s *classSide) table(stage ofnet.Stage) flow.TableID {
	if stage == ofnet.StageAdmin {
		return s.admin
	}
	return s.netpol
}

// does is the action for packets that match a rule of a stage. Refused and admitted packets carry the number of the policy; admitted ones
// have it in place of the group rule that has admitted it before.
func (s *classSide) does(stage ofnet.Stage, a ofnet.ClassAction, number uint32) flow.Actions {
	switch {
	case a == ofnet.Deny:
		return flow.Do(load(s.decided, number), flow.GotoTable(tRefuse))
	case a == ofnet.Pass && stage == ofnet.StageAdmin:
		return flow.Do(flow.GotoTable(s.netpol))
	}
	return flow.Do(load(s.decided, number), flow.GotoTable(s.after))
}

// classWords describes what a flow matches, or writes, of the classes of both ends.
func classWords(v, mask uint64) string {
	var words []string
	for _, end := range []struct {
		first int
		name  string
	}{{srcClass, "sender"}, {dstClass, "receiver"}} {
		const number = 1<<classBits - 1
		if mask>>end.first&number == number {
			words = append(words, end.name+" of class "+strconv.FormatUint(v>>end.first&number, 10))
		}
		for d, does := range map[ofnet.Direction]string{ofnet.In: "receives", ofnet.Out: "sends"} {
			if bit := isolatedBit(end.first, d); v>>bit&1 == 1 && mask>>bit&1 == 1 {
				words = append(words, end.name+" isolated in what it "+does)
			}
		}
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}
