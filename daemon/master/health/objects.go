// SPDX-License-Identifier: Apache-2.0

package health

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// store finds members that do not answer, against the quorum, and space that runs short.
func store(s *Snapshot) (out []model.Finding) {
	note := func(code model.FindingCode, severity model.Severity, object, evidence, remedy string) {
		out = append(out, model.Finding{Code: code, Severity: severity, Object: object, Evidence: evidence, Remedy: remedy, Next: "netctl leader"})
	}
	if s.StoreErr != "" {
		note(model.FindingStoreUnknown, model.SeverityUnknown, "store/"+s.Store.Name, "its state is unknown: "+s.StoreErr, "check that its servers run")
	}
	all, answer := len(s.Store.Members), 0
	for _, m := range s.Store.Members {
		if m.Error == "" {
			answer++
		}
	}
	if all > 0 && all%2 == 0 {
		note(model.FindingStoreEven, model.SeverityWarning, "cluster/store", // netmasters have other names for it
			fmt.Sprintf("it has %d members, of which %d may fail, as of %d members: one more machine only adds what can fail", all, all-(all/2+1), all-1),
			"add a member (contiv join --master), or remove one (contiv leave)")
	}
	for _, m := range s.Store.Members {
		object := "store/" + m.Name
		if m.Error != "" {
			severity, spare := model.SeverityWarning, answer-(all/2+1)
			left := fmt.Sprintf("%d more may fail", spare)
			switch {
			case spare < 0 && leads(s):
				left = "a netmaster leads, so most of them work"
			case spare < 0:
				severity, left = model.SeverityError, "nothing can be changed"
			case spare == 0:
				left = "with one more, nothing can be changed"
			}
			evidence, remedy := fmt.Sprintf("member %s does not answer, %d of %d do: %s (%s)", m.Name, answer, all, left, m.Error), "start it again"
			if late(m.Error) {
				severity, remedy = model.SeverityUnknown, "look whether it runs, and how busy its machine is"
				evidence = fmt.Sprintf("member %s has not answered in time, so that it is not known whether it works; %d of %d have (%s)", m.Name, answer, all, m.Error)
			}
			note(model.FindingStoreMemberSilent, severity, object, evidence, remedy)
		}
		switch m.Space {
		case "full":
			note(model.FindingStoreFull, model.SeverityError, object, "member "+m.Name+" has used up its quota: nothing can be changed", "make room, as docs/how-to/store-space.md says")
		case "low":
			note(model.FindingStoreLow, model.SeverityWarning, object, "member "+m.Name+" will soon have used up its quota", "make room, as docs/how-to/store-space.md says")
		}
	}
	return out
}

// leads reports whether a netmaster leads, which it does as long as the store takes its lease's renewals.
func leads(s *Snapshot) bool {
	return slices.ContainsFunc(s.Nodes, func(n model.Node) bool { return n.Role == model.RoleLeader && n.Answered() })
}

// late reports whether an error says nothing about the daemon that did not answer: the request timed out, or the client had no file descriptor.
func late(reason string) bool {
	return strings.Contains(reason, "deadline exceeded") || strings.Contains(reason, "did not answer within") || strings.Contains(reason, "too many open files")
}

// services finds those without providers.
func services(s *Snapshot) (out []model.Finding) {
	for _, v := range s.Services {
		if v.Providers > 0 {
			continue
		}
		near := "no container of the tenant has labels"
		if v.Nearest != nil {
			near = "the nearest container has " + labels(v.Nearest)
		}
		out = append(out, model.Finding{Code: model.FindingServiceEmpty, Severity: model.SeverityWarning, Object: "service/" + v.ID.String(),
			Evidence: "no container has its selector " + labels(v.Selector) + "; " + near, Remedy: "start containers with these labels, or correct the selector",
			Next: "netctl service inspect " + v.ID.Name + " -t " + v.ID.Tenant})
	}
	return out
}

func labels(set map[string]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(set)) {
		out = append(out, k+"="+set[k])
	}
	return strings.Join(out, ",")
}

// maxUsed is the percentage of a pool from which on it is low.
const maxUsed = 80

// pools finds those that run short.
func pools(s *Snapshot) (out []model.Finding) {
	for _, p := range s.Pools {
		all := p.Taken + p.Free
		if all == 0 || p.Taken*100 < all*maxUsed {
			continue
		}
		f := model.Finding{Code: model.FindingPoolLow, Severity: model.SeverityWarning, Object: "network/" + p.Network.String(),
			Evidence: fmt.Sprintf("%d of its %d addresses are in use, %d are free", p.Taken, all, p.Free), Remedy: "delete what is not needed, or make a network with a larger subnet",
			Next: "netctl ip show " + p.Network.Name + " -t " + p.Network.Tenant}
		if p.Free == 0 {
			f.Code, f.Severity, f.Evidence = model.FindingPoolEmpty, model.SeverityError, fmt.Sprintf("all of its %d addresses are in use: no container gets one", all)
		}
		out = append(out, f)
	}
	return out
}
