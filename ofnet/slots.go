package ofnet

// Slots are the first slots of policies of one level, in order: each begins behind those before it that share a subject, so that of two policies
// about one packet the first goes first. Policies without a common subject never meet in one packet, and have the same slots. They count from 0;
// one at MostSlots or beyond has no place in the level.
func Slots(policies []*ClassPolicy) []int {
	ends := map[uint32]int{} // behind the last slot of a class's policies
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

// Crowded lists the policies of which some rules have no slot, in the order of their levels: those rules deny everything of their subjects.
func (s *State) Crowded() (out []*ClassPolicy) {
	for _, l := range s.levels() {
		if l.Stage == StageNamespace {
			continue
		}
		_, policies := s.PoliciesAt(l.Key())
		for i, first := range Slots(policies) {
			for j := range policies[i].Rules {
				if first+int(policies[i].Rules[j].Place) > MostSlots {
					out = append(out, policies[i])
					break
				}
			}
		}
	}
	return out
}
