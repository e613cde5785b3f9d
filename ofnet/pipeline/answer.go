// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// An answer belongs to a connection that the rules have admitted, so it passes. If the rules have changed since, the next packet of the
// opening side is judged again; TCP always has one, for the opening side acknowledges. If the opening side may stay silent, as a subscriber
// of a stream does, the answer is judged in its place: it is turned into the packet that the opening side would send, matched by the rules
// in policy_out and policy_in, and turned back. The tracker stores the verdict, so that happens once for each connection and change of the
// rules, in one pass.
//
// The tracker of the userspace datapath does not see the ports of SCTP: all associations of two ends are one connection to it, whichever
// end has opened them. So each of their answers is judged, turned with its own ports. A packet that answers nothing permitted may open
// something that is, unless the rules have refused the other side something meanwhile: then it may be the answer to that.

func sctp() flow.Term { return flow.Eq(flow.IPProto, ofnet.ProtocolSCTP) }

func answering() flow.Term {
	return flow.State(flow.CTEst|flow.CTRpl|flow.CTTracked, flow.CTRel)
}

// Priorities in policy_out, above all rules.
const (
	policyEach  = 60004 // an answer over SCTP
	policyKnown = 60003 // an answer that needs no verdict
	policyTurn  = 60001 // an answer that needs one; a priority more where there are ports
)

// answers are the flows that hold for all tenants.
func answers(out *flow.Set) {
	add := func(t flow.TableID, priority uint16, do flow.Actions, terms ...flow.Term) {
		out.Add(flow.New(t, priority, flow.NewMatch(terms...), do))
	}
	refused := []flow.Term{flow.State(flow.CTEst|flow.CTRpl|flow.CTTracked, 0), flow.EqMask(flow.CTMark, markBlocked, markBlocked)}
	for _, proto := range []flow.Term{flow.ICMP(), flow.ICMP6(), flow.TCP(), flow.TCP6()} {
		add(tState, 190, flow.Actions{}, append([]flow.Term{proto}, refused...)...)
	}
	for _, proto := range []flow.Term{flow.TCP(), flow.TCP6()} {
		add(tState, 180, flow.Do(on(bitSkip), flow.GotoTable(tPeer)), proto, answering())
	}
	for _, family := range []flow.Term{flow.IP(), flow.IPv6()} {
		add(tState, 179, flow.Do(on(bitAnswer), flow.GotoTable(tPeer)), family, answering())
	}
	// Packets of an endpoint to itself by way of a service are not judged.
	add(tPolicyOut, policyKnown, flow.Do(on(bitSkip), flow.GotoTable(tReplicate)), flow.EqMask(regFlags, 1<<bitAnswer|1<<bitHairpin, 1<<bitAnswer|1<<bitHairpin))
	for _, f := range bothFamilies() {
		add(tPolicyOut, policyTurn, f.judge(noPorts, false), f.term, answering(), has(bitAnswer), hasNot(bitBehind))
		for _, behind := range []bool{false, true} {
			terms := []flow.Term{f.term, flow.Eq(flow.IPProto, ofnet.ProtocolUDP), answering(), has(bitAnswer)}
			if behind {
				terms = append(terms, has(bitBehind))
			} else {
				terms = append(terms, hasNot(bitBehind))
			}
			add(tPolicyOut, policyTurn+1, f.judge(trackedPorts, behind), terms...)
		}
	}
	for _, f := range bothFamilies() {
		add(tPolicyOut, policyEach, f.judge(ownPorts, false), f.term, sctp(), answering(), has(bitAnswer), hasNot(bitHairpin))
		add(tVerdict, 70, flow.Do(on(bitSkip), flow.GotoTable(tReplicate)), f.term, sctp(), has(bitAdmitted), answering())
		add(tVerdict, 65, flow.Actions{}, f.term, sctp(), answering(), flow.EqMask(flow.CTMark, markBlocked, markBlocked))
		add(tVerdict, 60, flow.Do(on(bitNoCommit), flow.Resubmit(tPolicyOut)), f.term, sctp(), answering())
		add(tRefuse, 55, flow.Actions{}, f.term, sctp(), answering()) // the other side does not decide about the opening side
	}
	add(tCommit, 110, flow.Do(on(bitAdmitted)), has(bitTurned))
	add(tRefuse, 60, flow.Actions{}, has(bitTurned))
}

// answersOfTenant are the flows that depend on the generation of a tenant's rules: admitted, refused, and not yet judged connections.
func answersOfTenant(out *flow.Set, t *ofnet.Tenant, generation uint64, note []flow.Action, block flow.Action) {
	known := func(mark uint64, do flow.Actions) {
		out.Add(flow.New(tPolicyOut, policyKnown, flow.NewMatch(answering(), flow.Eq(flow.CTMark, mark), has(bitAnswer), hasNot(bitHairpin), inTenant(t)), do))
	}
	pass := flow.Do(on(bitSkip), flow.GotoTable(tReplicate))
	known(generation, pass)
	known(markBlocked|generation, flow.Actions{})
	for _, family := range []flow.Term{flow.IP(), flow.IPv6()} {
		out.Add(flow.New(tVerdict, 50, flow.NewMatch(family, has(bitAdmitted), answering(), inTenant(t)), flow.Do(
			flow.Track(flow.CT{Commit: true, ZoneFrom: zone(), Exec: note}), on(bitSkip), flow.GotoTable(tReplicate))))
		out.Add(flow.New(tVerdict, 40, flow.NewMatch(family, answering(), inTenant(t)), flow.Do(block)))
	}
}

// turning is what differs between the families.
type turning struct {
	term     flow.Term
	src, dst flow.Field // of the packet
	opener   flow.Field // source of the packet that opened the connection
	opened   flow.Field // its destination
	backend  flow.Field // the register of a backend's address
}

func bothFamilies() []turning {
	return []turning{
		{flow.IP(), flow.IPSrc, flow.IPDst, flow.CTNwSrc, flow.CTNwDst, regBackend},
		{flow.IPv6(), flow.IPv6Src, flow.IPv6Dst, flow.CTIPv6Src, flow.CTIPv6Dst, regBackend6},
	}
}

// portSource is the source of the ports in the opening side's packet.
type portSource int

const (
	noPorts      portSource = iota
	trackedPorts            // the tracker's original tuple, or the backend's register
	ownPorts                // the answer's
)

// exchangePorts swaps the ports of an SCTP packet.
func exchangePorts() []flow.Action {
	scratch := flow.Range(regPort, 0, 15) // unused without a backend
	return []flow.Action{flow.Move(flow.All(flow.SCTPSrc), scratch), move(flow.SCTPDst, flow.SCTPSrc), flow.Move(scratch, flow.All(flow.SCTPDst))}
}

// judge turns the answer, matches it with the rules, and turns it back. The packet that opened the connection was addressed to the
// service's address and port; the rules judge the backend's.
func (f *turning) judge(ports portSource, behind bool) flow.Actions {
	receiver, receiverPort := f.opened, flow.CTTPDst
	if behind {
		receiver, receiverPort = f.backend, regPort
	}
	steps := append([]flow.Action{off(bitAnswer), on(bitTurned)}, changeSides()...)
	steps = append(steps, move(f.opener, f.src), move(receiver, f.dst))
	switch ports {
	case trackedPorts:
		steps = append(steps, move(flow.CTTPSrc, flow.UDPSrc), flow.Move(flow.Range(receiverPort, 0, 15), flow.All(flow.UDPDst)))
	case ownPorts:
		steps = append(steps, exchangePorts()...)
	}
	steps = append(steps, load(regRuleOut, 0), load(regRuleIn, 0), flow.Resubmit(tPolicyOut), off(bitTurned))
	steps = append(append(steps, changeSides()...), move(f.opened, f.src), move(f.opener, f.dst))
	switch ports {
	case trackedPorts:
		steps = append(steps, move(flow.CTTPDst, flow.UDPSrc), move(flow.CTTPSrc, flow.UDPDst))
	case ownPorts:
		steps = append(steps, exchangePorts()...)
	}
	return flow.Do(append(steps, flow.GotoTable(tVerdict))...)
}

// changeSides exchanges sender and receiver: their groups and classes, and whether they are on this host.
func changeSides() []flow.Action {
	from, to := flow.Range(regClasses, srcClass, srcClass+31), flow.Range(regClasses, dstClass, dstClass+31)
	sender, receiver, scratch := flow.Bit(regFlags, bitEndpoint), flow.Bit(regFlags, bitLocal), flow.Bit(regService, 0)
	return []flow.Action{
		flow.Move(sender, scratch), flow.Move(receiver, sender), flow.Move(scratch, receiver),
		move(regSrcGroup, regSlot), move(regDstGroup, regSrcGroup), move(regSlot, regDstGroup),
		flow.Move(from, flow.All(regSlot)), flow.Move(to, from), flow.Move(flow.All(regSlot), to),
	}
}
