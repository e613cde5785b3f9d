// SPDX-License-Identifier: Apache-2.0

package health

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

var blue = identity.Network{Tenant: "default", Name: "blue"}

func master(name string, role model.NodeRole) model.Node {
	return model.Node{Name: name, Address: name + ":9999", Role: role, Ready: true, Since: "2026-01-01T00:00:00Z", Version: "1.0"}
}

func agent(name string) model.Node {
	return model.Node{Name: name, Address: "192.0.2.1:" + name, Role: model.RoleAgent, Ready: true, Since: "2026-01-01T00:00:00Z", Version: "1.0", VTEP: name, MTU: 1500}
}

func cluster() *Snapshot {
	return &Snapshot{Nodes: []model.Node{master("m1", model.RoleLeader), master("m2", model.RoleFollower), agent("h1"), agent("h2"), agent("h3")},
		Store:    model.StoreState{Members: []model.StoreMember{{Name: "s1"}, {Name: "s2"}, {Name: "s3"}}},
		Services: []Service{{ID: identity.Service{Tenant: "default", Name: "shop"}, Providers: 1}}, Pools: []Pool{{Network: blue, Taken: 79, Free: 21}}, Numbers: []model.Resource{{Name: NumbersVNI, Holds: "VNIs of networks", Used: 79, Max: 100}}}
}

func TestExamine(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(s *Snapshot)
		want   []string
	}{
		{"a cluster that is well", func(*Snapshot) {}, nil},
		{"no leader", func(s *Snapshot) { s.Nodes[0].Role = model.RoleFollower }, []string{"error leader-missing cluster/leader"}},
		{"a leader that does not answer the one that is asked", func(s *Snapshot) {
			s.Nodes[0], s.Holder = model.Node{Name: "m1", Address: "m1:9999", Role: model.RoleUnknown, Reason: "did not answer"}, "m1:9999"
		}, []string{"warning master-silent master/m1", "unknown leader-unknown cluster/leader < master-silent master/m1"}},
		{"a leader of which nothing is known, and the store does not name the holder of the lock", func(s *Snapshot) {
			s.Nodes[0] = model.Node{Name: "m1", Address: "m1:9999", Role: model.RoleUnknown, Reason: "did not answer"}
		}, []string{"error leader-missing cluster/leader", "warning master-silent master/m1"}},
		{"a follower that does not answer", func(s *Snapshot) { s.Nodes[1].Since, s.Nodes[1].Ready = "", false }, []string{"warning master-silent master/m2"}},
		{"a follower that waits for room before it has a store", func(s *Snapshot) {
			s.Nodes[1].Since, s.Nodes[1].Ready, s.Nodes[1].Reason = "", false, "waits for room for the store: 3 MiB are left; not registered"
		}, []string{"warning master-waiting master/m2"}},
		{"an API server that refuses", func(s *Snapshot) {
			s.Nodes[0].Kubernetes = &model.KubernetesStatus{Wanted: true, Leads: true, Missing: "the API server does not answer: refused"}
		}, []string{"error kubernetes-trouble master/m1"}},
		{"an API server that is silent", func(s *Snapshot) {
			s.Nodes[0].Kubernetes = &model.KubernetesStatus{Wanted: true, Leads: true, Silent: true, Missing: "the API server does not answer: it has not answered within 5s"}
		}, []string{"unknown kubernetes-silent master/m1"}},
		{"a follower that waits", func(s *Snapshot) { s.Nodes[1].Ready = false }, []string{"warning master-waiting master/m2"}},
		{"an agent whose certificate is refused, and that is known to have expired", func(s *Snapshot) {
			for i := 2; i < 4; i++ {
				s.Nodes[i] = model.Node{Name: s.Nodes[i].Name, Role: model.RoleAgent, Reason: model.CertificateRefused + "it is of another cluster"}
			}
			s.At = time.Now()
			s.Certificates = []Certificate{{Host: "h1", Issued: s.At.Add(-2 * time.Hour), Until: s.At.Add(-time.Hour)}}
		}, []string{"error certificate-ended host/h1", "error certificate-refused host/h2", "error certificate-refused host/h1 < certificate-ended host/h1"}},
		{"daemons that have ended, of which the other one of the host shows the last error", func(s *Snapshot) {
			s.Nodes[1] = model.Node{Name: "192.0.2.7", Address: "192.0.2.7:9999", Role: model.RoleUnknown, Reason: "connection refused"}
			s.Nodes[2].Address, s.Nodes[2].OtherError = "192.0.2.7:9090", "level=ERROR out of cheese"
		}, []string{"warning master-silent master/192.0.2.7 (out of cheese)"}},
		{"a netmaster whose certificate is refused", func(s *Snapshot) {
			s.Nodes[1] = model.Node{Name: "m2", Address: "m2:9999", Role: model.RoleUnknown, Reason: model.CertificateRefused + "m2 is not certified by this cluster's authority"}
		}, []string{"error certificate-refused master/m2"}},
		{"an agent that does not answer", func(s *Snapshot) {
			s.Nodes[2] = model.Node{Name: "h1", Role: model.RoleAgent, Reason: "its agent is down"}
		},
			[]string{"error agent-silent host/h1"}},
		{"a restored store that waits for hosts, whose agents have no netmaster meanwhile", func(s *Snapshot) {
			s.Nodes[2] = model.Node{Name: "h1", Role: model.RoleAgent, Reason: "its agent is down"}
			s.Nodes[3] = model.Node{Name: "h2", Role: model.RoleAgent, Reason: "its agent is down"}
			s.Adopting = &model.AdoptionWait{Cause: "restore", Missing: []string{"h1"}, Offered: []string{"h2"}, Complete: true, Max: "45s"}
		}, []string{"warning adoption-waits cluster/store"}},
		{"an agent of which nothing is known", func(s *Snapshot) {
			s.Nodes[2] = model.Node{Name: "h1", Role: model.RoleAgent, Reason: "unknown: did not answer: netmaster m2"}
		}, []string{"unknown agent-unknown host/h1"}},
		{"an agent that waits, behind", func(s *Snapshot) { s.Nodes[2].Ready, s.Nodes[2].Lag = false, 3 },
			[]string{"error agent-waiting host/h1", "warning agent-lag host/h1 < agent-waiting host/h1"}},
		{"objects in trouble", func(s *Snapshot) { s.Nodes[2].Errors = 1 }, []string{"error objects-failed host/h1"}},
		{"objects in trouble that findings of the agent are about", func(s *Snapshot) {
			s.Nodes[2].Errors, s.Nodes[2].Named, s.Nodes[3].Errors, s.Nodes[3].Named = 1, 1, 2, 1
		},
			[]string{"error objects-failed host/h2"}},
		{"missing and different", func(s *Snapshot) { s.Nodes[2].Missing, s.Nodes[3].Differs = 1, 2 },
			[]string{"warning interfaces-missing host/h1", "warning drift host/h2"}},
		{"what agents report", func(s *Snapshot) {
			s.Nodes[2].Findings = []model.Finding{{Code: model.FindingContainerMAC, Severity: model.SeverityError, Object: "endpoint/x", Host: "h1"}}
		}, []string{"error container-mac endpoint/x"}},
		{"a tunnel that is blocked to a host whose agent is silent, and one to another host", func(s *Snapshot) {
			s.Nodes[2] = model.Node{Name: "h1", Role: model.RoleAgent, Reason: "its agent is down"}
			s.Nodes[3].Findings = []model.Finding{blocked("h1", "h2"), blocked("h3", "h2")}
		}, []string{"error tunnel-blocked host/h3", "error agent-silent host/h1", "error tunnel-blocked host/h1 < agent-silent host/h1"}},
		{"an agent whose state is unknown explains no tunnel", func(s *Snapshot) {
			s.Nodes[2] = model.Node{Name: "h1", Role: model.RoleAgent, Reason: "unknown: did not answer: netmaster m2"}
			s.Nodes[3].Findings = []model.Finding{blocked("h1", "h2")}
		}, []string{"error tunnel-blocked host/h1", "unknown agent-unknown host/h1"}},
		{"one uplink of two", func(s *Snapshot) { s.Nodes[2].Uplinks = []model.Uplink{{Name: "eth1", Link: true}, {Name: "eth2"}} },
			[]string{"warning uplink-down uplink/h1:eth2"}},
		{"the only uplink", func(s *Snapshot) { s.Nodes[2].Uplinks = []model.Uplink{{Name: "eth1"}} }, []string{"error uplink-down uplink/h1:eth1"}},
		{"another MTU", func(s *Snapshot) { s.Nodes[3].MTU = 1400 }, []string{"error mtu-differs host/h2"}},
		{"an MTU that is not known", func(s *Snapshot) { s.Nodes[3].MTU = 0 }, nil},
		{"another version", func(s *Snapshot) { s.Nodes[1].Version = "0.9" }, []string{"warning version-skew master/m2"}},
		{"one tunnel end twice", func(s *Snapshot) { s.Nodes[3].VTEP = "h1" }, []string{"error address-twice address/h1"}},
		{"a router of no host", func(s *Snapshot) { s.Routers = []Router{{Host: "h9", Addresses: []string{"50.1.1.9"}}} }, []string{"warning bgp-no-host Bgp/h9"}},
		{"a router's address twice, and a neighbour off the link", func(s *Snapshot) {
			s.Routers = []Router{{Host: "h1", Known: true, Addresses: []string{"50.1.1.1"}}, {Host: "h2", Known: true, Addresses: []string{"50.1.1.1"}, OffLink: []string{"90.1.1.1"}}}
		}, []string{"error address-twice address/50.1.1.1", "warning bgp-off-link Bgp/h2"}},
		{"an address of a container that a host reports as its own, and one that is nowhere near others", func(s *Snapshot) {
			s.Disputed = []DisputedAddress{{Host: "h2", Address: "10.1.1.7", Whose: "network default:blue"}, {Host: "h1", Address: "10.77.0.5"}, {Host: "h2", Address: "10.1.1.8", Whose: "network default:blue"}}
		}, []string{"warning address-claimed host/h2", "note address-open host/h1"}},
		{"infra networks that hosts cannot join", func(s *Snapshot) {
			s.Clashes = []Clash{{"h1", "red:mgmt0", "host h1 has an interface mgmt0 already"}, {"h2", "red:mgmt0", "host h2 has an interface mgmt0 already"}}
		}, []string{"error infra-clash network/red:mgmt0"}},
		{"a service that names what is not to be had", func(s *Snapshot) {
			s.Refusals = []Refusal{{"ns/web", "192.0.2.1, tcp/22: it is an address of host h1"}, {"ns/web", "192.0.2.2, tcp/22: it is an address of host h2"}}
		}, []string{"warning address-refused service/ns/web"}},
		{"policies that are not read as a whole", func(s *Snapshot) {
			s.Unread = []Unread{{"shop/web", []string{"ingress[0]: no"}}, {"names", nil}}
		}, []string{"warning policy-unread policy/names", "warning policy-unread policy/shop/web"}},
		{"a service that is not carried out as a whole", func(s *Snapshot) {
			s.Partial = []UnreadService{{"shop/web", []string{"spec.type: unknown"}}}
		}, []string{"warning service-unread service/shop/web"}},
		{"a receiver that accepts no alerts for a minute, and one for two", func(s *Snapshot) {
			s.At = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
			s.Unsent = []Unsent{{"https://a.example:9093/api/v2/alerts", s.At.Add(-time.Minute), "no"}, {"https://b.example:9093/api/v2/alerts", s.At.Add(-2 * time.Minute), "no"}}
		}, []string{"warning alerts-unsent receiver/b.example:9093"}},
		{"snapshots that are saved, are old, and are not saved", func(s *Snapshot) {
			s.Nodes[0].Snapshots, s.Nodes[1].Snapshots = &model.SnapshotStatus{Interval: "12h0m0s", Last: "2026-01-01T00:00:00Z"}, &model.SnapshotStatus{Old: true, Interval: "12h0m0s"}
		}, []string{"warning backup-old master/m2"}},
		{"an authority that is being replaced", func(s *Snapshot) {
			s.Rotation = model.Rotation{Phase: "sign", From: "old", To: "next", Waiting: []string{"spiffe://contiv/agent/h2 until 2026-01-01"}}
		}, []string{"warning authority-rotation authority/next"}},
		{"an authority that was replaced", func(s *Snapshot) { s.Rotation = model.Rotation{Phase: "finish", From: "old", To: "next"} }, nil},
		{"snapshots that are not saved", func(s *Snapshot) { s.Nodes[0].Snapshots = &model.SnapshotStatus{Old: true, Error: "no room"} }, []string{"warning backup-failed master/m1"}},
		{"records that differed", func(s *Snapshot) {
			s.Nodes[3].Differed = []model.Differed{{Shard: "cluster", Times: 5}, {Shard: "tenant/blue", Times: 2, Still: true}}
		},
			[]string{"warning records-differed host/h2"}},
		{"records that differ, however often they are sent", func(s *Snapshot) {
			s.Nodes[3].Differed = []model.Differed{{Shard: "tenant/blue", Times: 3, Still: true}}
		},
			[]string{"error records-differed host/h2"}},
		{"netmasters without descriptors, one by one", func(s *Snapshot) {
			s.Nodes[0].Descriptors, s.Nodes[1].Descriptors = &model.Descriptors{Used: 799, Max: 1000}, &model.Descriptors{Used: 800, Max: 1000}
		}, []string{"warning resources-exhausted master/m2"}},
		{"a netmaster without a descriptor, which the store does not answer", func(s *Snapshot) {
			s.Nodes[0].Descriptors = &model.Descriptors{Used: 1000, Max: 1000}
			s.Store.Members[0].Error = "dial tcp: socket: too many open files"
		}, []string{"error resources-exhausted master/m1", "unknown store-member-silent store/s1 < resources-exhausted master/m1"}},
		{"one member of three", func(s *Snapshot) { s.Store.Members[0].Error = "refused" }, []string{"warning store-member-silent store/s1"}},
		{"an even number of members", func(s *Snapshot) { s.Store.Members = s.Store.Members[:2] }, []string{"warning store-even cluster/store"}},
		{"one member", func(s *Snapshot) { s.Store.Members = s.Store.Members[:1] }, nil},
		{"most members, though a netmaster leads", func(s *Snapshot) { s.Store.Members[0].Error, s.Store.Members[1].Error = "refused", "refused" },
			[]string{"warning store-member-silent store/s1", "warning store-member-silent store/s2"}},
		{"members that were not waited for", func(s *Snapshot) {
			s.Store.Members[0].Error, s.Store.Members[1].Error, s.Store.Members[2].Error = "context deadline exceeded", "context deadline exceeded", "context deadline exceeded"
		}, []string{"unknown store-member-silent store/s1", "unknown store-member-silent store/s2", "unknown store-member-silent store/s3"}},
		{"requests that wait for the leader", func(s *Snapshot) { s.Stalled, s.Waiting = 3*time.Second, 2 }, []string{"error commits-stalled cluster/leader"}},
		{"requests that wait for a moment", func(s *Snapshot) { s.Stalled, s.Waiting = 2*time.Second, 2 }, nil},
		{"no quorum", func(s *Snapshot) {
			s.Nodes[0].Role, s.Store.Members[0].Error, s.Store.Members[1].Error = model.RoleFollower, "refused", "refused"
		},
			[]string{"error store-member-silent store/s1", "error store-member-silent store/s2", "error leader-missing cluster/leader < store-member-silent store/s1"}},
		{"space", func(s *Snapshot) { s.Store.Members[0].Space, s.Store.Members[1].Space = "full", "low" },
			[]string{"error store-full store/s1", "warning store-low store/s2"}},
		{"a store that does not say", func(s *Snapshot) { s.Store.Name, s.StoreErr = "etcd", "timeout" }, []string{"unknown store-unknown store/etcd"}},
		{"a service without providers", func(s *Snapshot) { s.Services[0].Providers = 0 }, []string{"warning service-empty service/default:shop"}},
		{"a pool at 80 %", func(s *Snapshot) { s.Pools[0] = Pool{blue, 80, 20} }, []string{"warning pool-low network/default:blue"}},
		{"numbers at 80 %, and all in use", func(s *Snapshot) {
			s.Numbers = []model.Resource{{Name: NumbersVLAN, Used: 80, Max: 100}, {Name: NumbersTenant, Used: 9, Max: 9}}
		}, []string{"error numbers-low cluster/tenant-numbers", "warning numbers-low cluster/vlans"}},
		{"a netmaster whose disk is full, and its member of the store that does not answer", func(s *Snapshot) {
			s.Nodes[1].Resources = []model.Resource{{Name: "disk", Of: "/var/lib/contiv", Holds: "the store", Used: 99, Max: 100, Need: 2}}
			s.Store.Members[1].Address, s.Store.Members[1].Error = "http://m2:2379", "connection refused"
		}, []string{"error disk-low master/m2", "warning store-member-silent store/s2 < disk-low master/m2"}},
		{"a netmaster on a full machine, and on one whose agent reports it", func(s *Snapshot) {
			for i := range 2 {
				s.Nodes[i].Resources = []model.Resource{{Name: "processes", Of: model.Machine, Used: 99, Max: 99}}
			}
			s.Nodes[1].Name, s.Nodes[1].Address, s.Nodes[2].Address = "192.0.2.7", "192.0.2.7:9999", "192.0.2.7:9090"
		}, []string{"error resources-exhausted master/m1"}},
		{"a pool that is empty", func(s *Snapshot) { s.Pools[0] = Pool{blue, 14, 0} }, []string{"error pool-empty network/default:blue"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := cluster()
			row.change(s)
			var got []string
			for _, f := range Fold(Examine(s), s.Topology()) {
				text := string(f.Severity) + " " + f.Code.String() + " " + f.Object
				if f.CausedBy != nil {
					text += " < " + f.CausedBy.String()
				}
				if strings.Contains(f.Evidence, "; the last error in its log: level=ERROR out of cheese") {
					text += " (out of cheese)"
				}
				got = append(got, text)
				if f.Evidence == "" || f.Remedy == "" {
					if f.Code != model.FindingContainerMAC { // which an agent has made
						t.Errorf("%s says too little: %+v", f.Code, f)
					}
				}
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("want %q, got %q", row.want, got)
			}
		})
	}
}

// blocked is what a host reports of a tunnel in which nothing comes back.
func blocked(to, by string) model.Finding {
	return model.Finding{Code: model.FindingTunnelBlocked, Severity: model.SeverityError, Object: "host/" + to, Host: by, Evidence: "none of the last 20 probes has come back", Remedy: "let UDP port 4789 pass"}
}

func TestNearest(t *testing.T) {
	s := &Snapshot{Services: []Service{{ID: identity.Service{Tenant: "default", Name: "shop"}, Selector: map[string]string{"tier": "front"}, Nearest: map[string]string{"tier": "fornt"}}}}
	if got := services(s)[0].Evidence; got != "no container has its selector tier=front; the nearest container has tier=fornt" {
		t.Error(got)
	}
}

func TestDate(t *testing.T) {
	var m Memory
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	written := ""
	dated := func(now time.Time, f model.Finding) string {
		list := []model.Finding{f}
		m.Date(list, func(*model.Finding) string { return written }, now)
		return list[0].Since
	}
	a := model.Finding{Code: code("a"), Object: "x/y"}
	first := dated(at, a)
	if again := dated(at.Add(time.Hour), a); first != "2026-01-01T00:00:00Z" || again != first {
		t.Errorf("want the same time, got %q and %q", first, again)
	}
	dated(at.Add(time.Hour), model.Finding{Code: code("b")})
	if later := dated(at.Add(2*time.Hour), a); later != "2026-01-01T02:00:00Z" {
		t.Errorf("what was gone begins again, got %q", later)
	}
	for _, row := range []struct {
		code model.FindingCode
		at   time.Duration
		want model.Severity
	}{{model.FindingAgentLag, 0, model.SeverityInfo}, {model.FindingAgentLag, 10 * time.Second, model.SeverityWarning}, {model.FindingAgentLag, 59 * time.Second, model.SeverityWarning}, {model.FindingAgentLag, time.Minute, model.SeverityError},
		{model.FindingAgentSilent, 0, model.SeverityWarning}, {model.FindingAgentSilent, 15 * time.Second, model.SeverityError},
		{model.FindingInterfacesMissing, 2 * time.Minute, model.SeverityInfo}, {model.FindingInterfacesMissing, 2*time.Minute + 10*time.Second, model.SeverityError},
		{model.FindingDrift, 2 * time.Minute, model.SeverityWarning}, {model.FindingDrift, time.Hour, model.SeverityWarning}} {
		list := []model.Finding{{Code: row.code, Severity: model.SeverityWarning}, {Code: code("a"), Severity: model.SeverityWarning}}
		m.Date(list, func(*model.Finding) string { return "" }, at.Add(3*time.Hour+row.at))
		at := slices.IndexFunc(list, func(f model.Finding) bool { return f.Code == row.code })
		if list[at].Severity != row.want || row.want == model.SeverityError && at != 0 {
			t.Errorf("%s after %v: want %s, the errors first, got %+v", row.code, row.at, row.want, list)
		}
	}
	if got := dated(at, model.Finding{Code: code("c"), Since: "then"}); got != "then" {
		t.Errorf("want what the agent says, got %q", got)
	}
	written = "2025-12-31T23:00:00Z"
	if got := dated(at.Add(5*time.Hour), model.Finding{Code: code("d")}); got != written {
		t.Errorf("want since when the timeline has it, got %q", got)
	}
}

// While a store waits for hosts, the finding names those that are missing, those that have come, and whether others may be.
func TestAdopting(t *testing.T) {
	for _, row := range []struct {
		wait model.AdoptionWait
		want []string
	}{
		{model.AdoptionWait{Cause: "restore", Missing: []string{"h2", "h3"}, Offered: []string{"h1"}, Complete: true, Max: "45s"}, []string{"(restore)", "offered by h1; not offered by h2, h3. ", "start netplugin on h2, h3"}},
		{model.AdoptionWait{Cause: "new-store", Offered: []string{"h1"}, Max: "45s"}, []string{"offered by h1; which other hosts there are is not known, so it waits for all of the 45s. ", "wait: it ends by itself"}},
		{model.AdoptionWait{Cause: string(record.CauseAlone), Missing: []string{"h2"}, Complete: true, Max: "45s"}, []string{"none has offered it yet; not offered by h2. "}},
	} {
		got := adopting(&Snapshot{Adopting: &row.wait})
		if len(got) != 1 {
			t.Fatalf("want a finding, got %+v", got)
		}
		for _, text := range row.want {
			if !strings.Contains(got[0].Evidence+" "+got[0].Remedy, text) {
				t.Errorf("want %q in %+v", text, got[0])
			}
		}
	}
}

// code is a code as another version may report it.
func code(text string) (c model.FindingCode) {
	_ = c.UnmarshalText([]byte(text)) // takes any text
	return c
}

// The finding about a replacement of the authority names those that the next phase waits for, as far as there is room.
func TestRotationNamesWhatItWaitsFor(t *testing.T) {
	waiting := make([]string, maxHosts+3)
	for i := range waiting {
		waiting[i] = fmt.Sprintf("agent h%d", i)
	}
	for phase, remedy := range map[string]string{"trust": "rotate-authority sign", "sign": "rotate-authority finish"} {
		got := rotation(&Snapshot{Rotation: model.Rotation{Phase: phase, From: "old", To: "next", Waiting: waiting}})
		if len(got) != 1 || !strings.Contains(got[0].Evidence, "agent h19; and 3 more") || !strings.Contains(got[0].Remedy, remedy) {
			t.Errorf("%s: want names and how it continues, got %+v", phase, got)
		}
		if got = rotation(&Snapshot{Rotation: model.Rotation{Phase: phase, From: "old", To: "next"}}); len(got) != 1 || !strings.HasPrefix(got[0].Remedy, "continue with contiv cert "+remedy) {
			t.Errorf("%s: want it to continue, got %+v", phase, got)
		}
	}
}
