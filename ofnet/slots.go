// SPDX-License-Identifier: Apache-2.0

package ofnet

import "slices"

// Slots are the first slots of policies of one level, in order: each begins after those before it that share a subject, so that of two
// policies about one packet the first comes first. Policies without a common subject never match the same packet, and have the same slots.
// They count from 0.
func Slots(policies []*ClassPolicy) []int {
	ends := map[uint32]int{} // the end of the last slot of a class's policies
	out := make([]int, len(policies))
	for i, p := range policies {
		most := 0
		for j := range p.Rules {
			most = max(most, int(p.Rules[j].Place))
			for _, class := range p.Rules[j].Subjects {
				out[i] = max(out[i], ends[class])
			}
		}
		for j := range p.Rules {
			for _, class := range p.Rules[j].Subjects {
				ends[class] = out[i] + most
			}
		}
	}
	return out
}

// Room is the range of priorities of a level's flows.
type Room struct {
	Slots int // of its rules
	Above int // extra slots of the levels behind it: its flows are that much higher
}

// RoomOf returns the room of a level, usually MaxSlots. A level whose policies need more takes the rest from the spare slots of its stage,
// and the levels evaluated before it are that much higher. It takes time in proportion to the policies of the crowded levels behind it.
func (s *State) RoomOf(l Level) Room {
	spare := SpareSlots(l.Stage)
	above := 0
	for _, o := range s.levels() {
		if o.Direction == l.Direction && o.Stage == l.Stage && o.Number > l.Number {
			above += s.surplus(o)
		}
	}
	above = min(above, spare)
	return Room{Slots: MaxSlots + min(s.surplus(l), spare-above), Above: above}
}

// Wide reports whether a level may need more than MaxSlots, by the number of its policies.
func (s *State) Wide(l Level) bool {
	return l.Stage != StageNamespace && policiesOfLevel.In(s.ClassPolicies, l).Len()*MaxRules > MaxSlots
}

// surplus is the number of slots above MaxSlots that the policies of a level need.
func (s *State) surplus(l Level) (n int) {
	if !s.Wide(l) {
		return 0
	}
	_, policies := s.PoliciesAt(l.Key())
	for i, first := range Slots(policies) {
		for j := range policies[i].Rules {
			n = max(n, first+int(policies[i].Rules[j].Place)-MaxSlots)
		}
	}
	return n
}

// Above lists the levels that are evaluated before one, of its direction and stage.
func (s *State) Above(l Level) (out []Level) {
	return slices.DeleteFunc(s.levels(), func(o Level) bool { return o.Direction != l.Direction || o.Stage != l.Stage || o.Number >= l.Number })
}

// Crowded lists the policies of which some rules have no slot, in the order of their levels: those rules deny everything of their subjects.
func (s *State) Crowded() (out []*ClassPolicy) {
	for _, l := range s.levels() {
		if !s.Wide(l) {
			continue
		}
		room := s.RoomOf(l).Slots
		_, policies := s.PoliciesAt(l.Key())
		for i, first := range Slots(policies) {
			for j := range policies[i].Rules {
				if first+int(policies[i].Rules[j].Place) > room {
					out = append(out, policies[i])
					break
				}
			}
		}
	}
	return out
}
