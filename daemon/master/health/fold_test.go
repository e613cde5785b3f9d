// SPDX-License-Identifier: Apache-2.0

package health

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
)

// finding reads "severity code object [by host] [to host,host]".
func finding(t *testing.T, text string) (f model.Finding) {
	t.Helper()
	words := strings.Fields(text)
	f = model.Finding{Severity: model.Severity(words[0]), Code: code(words[1]), Object: words[2], Evidence: "it is so", Remedy: "do it", Next: "netctl node ls"}
	if _, known := f.Code.Info(); !known && !strings.HasPrefix(words[1], "of-another-version") {
		t.Fatalf("there is no code %s", words[1])
	}
	for i := 3; i+1 < len(words); i += 2 {
		switch words[i] {
		case "by":
			f.Host = words[i+1]
		case "to":
			f.Peers = strings.Split(words[i+1], ",")
		}
	}
	return f
}

// folded describes a list after Fold: causes with the number of their effects, and effects with their causes.
func folded(list []model.Finding) (out []string) {
	for _, f := range list {
		text := string(f.Severity) + " " + f.Ref().String()
		if f.Effects > 0 {
			text += fmt.Sprintf(" +%d", f.Effects)
		}
		if f.CausedBy != nil {
			text = "  " + text + " < " + f.CausedBy.String()
		}
		out = append(out, text)
	}
	return out
}

// three is a cluster of three hosts, each with a netmaster and a member of the store.
func three() Topology {
	t := Topology{Machines: map[string]string{}, Members: 3}
	for _, n := range []string{"1", "2", "3"} {
		t.Machines["master/192.0.2."+n], t.Machines["store/s"+n] = "h"+n, "h"+n
	}
	return t
}

func TestFold(t *testing.T) {
	for _, row := range []struct {
		name     string
		in, want []string
	}{
		{"nothing", nil, nil},
		{"the tunnel address is gone", []string{
			"error tunnel-blocked host/h1 by h2", "error tunnel-blocked host/h2 by h1", "error tunnel-blocked host/h2 by h3", "error tunnel-blocked host/h3 by h2", "error vtep-missing host/h2 by h2",
		}, []string{
			"error vtep-missing host/h2 +4", "  error tunnel-blocked host/h1 on h2 < vtep-missing host/h2", "  error tunnel-blocked host/h2 on h1 < vtep-missing host/h2",
			"  error tunnel-blocked host/h2 on h3 < vtep-missing host/h2", "  error tunnel-blocked host/h3 on h2 < vtep-missing host/h2",
		}},
		{"an interface has a part of the private subnet, which the host also reports as its own", []string{
			"warning address-claimed host/h2", "warning address-claimed host/h3", "error private-overlap host/h2 by h2",
		}, []string{"error private-overlap host/h2 +1", "warning address-claimed host/h3", "  warning address-claimed host/h2 < private-overlap host/h2"}},
		{"ovs-vswitchd is stopped", []string{
			"error tunnel-blocked host/h1 by h2", "error vlan-missing network/t:green by h2 to h1", "error vlan-missing network/t:green by h3 to h1", "error vtep-down host/h1 by h1",
			"unknown ways-unknown host/h1 by h1", "error switch-silent host/h1 by h1", "unknown tracker-unknown host/h1 by h1",
		}, []string{
			"error switch-silent host/h1 +6", "  error tunnel-blocked host/h1 on h2 < switch-silent host/h1", "  error vtep-down host/h1 < switch-silent host/h1",
			"  error vlan-missing network/t:green on h2 < switch-silent host/h1", "  error vlan-missing network/t:green on h3 < switch-silent host/h1",
			"  unknown tracker-unknown host/h1 < switch-silent host/h1", "  unknown ways-unknown host/h1 < switch-silent host/h1",
		}},
		{"the bridge is deleted", []string{
			"error switch-silent host/h2 by h2", "error bridge-missing host/h2 by h2", "error uplink-down uplink/h2:eth1 by h2", "error tunnel-blocked host/h2 by h1", "error vlan-missing network/t:green by h1 to h2",
		}, []string{
			"error bridge-missing host/h2 +4", "  error switch-silent host/h2 < bridge-missing host/h2", "  error tunnel-blocked host/h2 on h1 < bridge-missing host/h2",
			"  error uplink-down uplink/h2:eth1 on h2 < bridge-missing host/h2", "  error vlan-missing network/t:green on h1 < bridge-missing host/h2",
		}},
		{"the control network is cut", []string{
			"error agent-silent host/h3", "warning master-silent master/192.0.2.3", "unknown store-member-silent store/s3", "error machine-silent host/h3",
		}, []string{
			"error machine-silent host/h3 +3", "  error agent-silent host/h3 < machine-silent host/h3", "  warning master-silent master/192.0.2.3 < machine-silent host/h3",
			"  unknown store-member-silent store/s3 < machine-silent host/h3",
		}},
		{"a netmaster ends, on a host whose agent runs", []string{"unknown store-member-silent store/s3", "warning master-silent master/192.0.2.3", "unknown agent-unknown host/h1"}, []string{
			"warning master-silent master/192.0.2.3 +2", "  unknown store-member-silent store/s3 < master-silent master/192.0.2.3", "  unknown agent-unknown host/h1 < master-silent master/192.0.2.3",
		}},
		{"the trunk is down", []string{
			"error vlan-missing network/t:green by h1 to h2,h3", "error vlan-missing network/t:green by h2 to h1", "error vlan-missing network/t:green by h3 to h1", "error uplink-down uplink/h1:eth1 by h1",
		}, []string{
			"error uplink-down uplink/h1:eth1 on h1 +3", "  error vlan-missing network/t:green on h1 < uplink-down uplink/h1:eth1 on h1",
			"  error vlan-missing network/t:green on h2 < uplink-down uplink/h1:eth1 on h1", "  error vlan-missing network/t:green on h3 < uplink-down uplink/h1:eth1 on h1",
		}},
		{"one uplink of two explains nothing", []string{"error vlan-missing network/t:green by h2 to h1", "warning uplink-down uplink/h1:eth1 by h1"},
			[]string{"error vlan-missing network/t:green on h2", "warning uplink-down uplink/h1:eth1 on h1"}},
		{"a VLAN that another host lacks too, without a cause", []string{"error vlan-missing network/t:green by h2 to h1,h3", "error uplink-down uplink/h1:eth1 by h1"},
			[]string{"error uplink-down uplink/h1:eth1 on h1", "error vlan-missing network/t:green on h2"}},
		{"a VLAN that another host lacks too, with a cause", []string{"error vlan-missing network/t:green by h2 to h1,h3", "error uplink-down uplink/h1:eth1 by h1", "error uplink-down uplink/h3:eth1 by h3"},
			[]string{"error uplink-down uplink/h1:eth1 on h1 +1", "error uplink-down uplink/h3:eth1 on h3", "  error vlan-missing network/t:green on h2 < uplink-down uplink/h1:eth1 on h1"}},
		{"the majority is lost", []string{"error leader-missing cluster/leader", "warning master-silent master/192.0.2.2", "warning master-silent master/192.0.2.3", "unknown store-unknown store/etcd"}, []string{
			"error master-silent master/192.0.2.2 +2", "warning master-silent master/192.0.2.3",
			"  error leader-missing cluster/leader < master-silent master/192.0.2.2", "  unknown store-unknown store/etcd < master-silent master/192.0.2.2",
		}},
		{"the majority is lost, and the rest of the store does not answer", []string{"unknown store-unknown store/etcd", "warning master-waiting master/192.0.2.1", "warning master-silent master/192.0.2.2", "warning master-silent master/192.0.2.3"}, []string{
			"warning master-silent master/192.0.2.2 +2", "warning master-silent master/192.0.2.3",
			"  warning master-waiting master/192.0.2.1 < master-silent master/192.0.2.2", "  unknown store-unknown store/etcd < master-silent master/192.0.2.2",
		}},
		{"one of three netmasters is not why none leads", []string{"error leader-missing cluster/leader", "warning master-silent master/192.0.2.2"},
			[]string{"error leader-missing cluster/leader", "warning master-silent master/192.0.2.2"}},
		{"members of an external store", []string{"error leader-missing cluster/leader", "error store-member-silent store/e1", "error store-member-silent store/e2"},
			[]string{"error store-member-silent store/e1 +1", "error store-member-silent store/e2", "  error leader-missing cluster/leader < store-member-silent store/e1"}},
		{"a certificate has ended", []string{"error agent-silent host/h1", "error certificate-ended host/h1", "error tunnel-blocked host/h1 by h2"}, []string{
			"error certificate-ended host/h1 +2", "  error tunnel-blocked host/h1 on h2 < certificate-ended host/h1", "  error agent-silent host/h1 < certificate-ended host/h1",
		}},
		{"the MTU of a NIC", []string{"error tunnel-mtu host/h2 by h1", "error tunnel-mtu host/h1 by h2", "error tunnel-mtu host/h2 by h3", "error mtu-differs host/h2", "error underlay-mtu host/h2 by h2"}, []string{
			"error underlay-mtu host/h2 +4", "  error mtu-differs host/h2 < underlay-mtu host/h2", "  error tunnel-mtu host/h1 on h2 < underlay-mtu host/h2",
			"  error tunnel-mtu host/h2 on h1 < underlay-mtu host/h2", "  error tunnel-mtu host/h2 on h3 < underlay-mtu host/h2",
		}},
		{"two faults at once: both are named", []string{"error tunnel-blocked host/h1 by h2", "error tunnel-blocked host/h3 by h2", "error vtep-missing host/h1 by h1", "error switch-silent host/h3 by h3"}, []string{
			"error switch-silent host/h3 +1", "error vtep-missing host/h1 +1", "  error tunnel-blocked host/h3 on h2 < switch-silent host/h3", "  error tunnel-blocked host/h1 on h2 < vtep-missing host/h1",
		}},
		{"what is unknown hides nothing that is known", []string{"unknown agent-unknown host/h1", "error tunnel-blocked host/h1 by h2", "unknown kubernetes-silent master/192.0.2.1"},
			[]string{"error tunnel-blocked host/h1 on h2", "unknown kubernetes-silent master/192.0.2.1", "unknown agent-unknown host/h1"}},
		{"hardly a file descriptor is left", []string{"unknown store-member-silent store/s1", "unknown store-member-silent store/s2", "error resources-exhausted master/192.0.2.1", "error ovsdb-silent host/h1 by h1"}, []string{
			"error ovsdb-silent host/h1", "error resources-exhausted master/192.0.2.1 +2",
			"  unknown store-member-silent store/s1 < resources-exhausted master/192.0.2.1", "  unknown store-member-silent store/s2 < resources-exhausted master/192.0.2.1",
		}},
		{"a container", []string{"warning provider-silent endpoint/t:n:a by h1", "error container-down endpoint/t:n:a by h1", "warning provider-silent endpoint/t:n:b by h1"}, []string{
			"error container-down endpoint/t:n:a on h1 +1", "warning provider-silent endpoint/t:n:b on h1", "  warning provider-silent endpoint/t:n:a on h1 < container-down endpoint/t:n:a on h1",
		}},
		{"a code of another version explains nothing, and comes last of its severity", []string{"error of-another-version host/h1 by h1", "error tunnel-blocked host/h1 by h2"},
			[]string{"error tunnel-blocked host/h1 on h2", "error of-another-version host/h1"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, reverse := range []bool{false, true} {
				var list []model.Finding
				for _, text := range row.in {
					list = append(list, finding(t, text))
				}
				if reverse {
					slices.Reverse(list)
				}
				list = Fold(list, three())
				if got := folded(list); !slices.Equal(got, row.want) {
					t.Errorf("want\n%s\ngot\n%s", strings.Join(row.want, "\n"), strings.Join(got, "\n"))
				}
				if again := folded(Fold(list, three())); !slices.Equal(again, row.want) {
					t.Errorf("the second time: got\n%s", strings.Join(again, "\n"))
				}
			}
		})
	}
}

// The table has no cycles: whatever is found at once, each finding has one first cause.
func TestTableHasNoCycles(t *testing.T) {
	explains := map[model.FindingCode][]model.FindingCode{}
	for _, info := range model.FindingCodes() {
		for _, e := range info.Explains {
			explains[info.Code] = append(explains[info.Code], e.Codes...)
		}
	}
	if len(explains) == 0 {
		t.Fatal("want a table, got an empty one")
	}
	var visit func(path []model.FindingCode, c model.FindingCode)
	visit = func(path []model.FindingCode, c model.FindingCode) {
		if slices.Contains(path, c) {
			t.Fatalf("%v explain each other, by way of %s", path, c)
		}
		for _, next := range explains[c] {
			visit(append(slices.Clone(path), c), next)
		}
	}
	for c := range explains {
		visit(nil, c)
	}
}

// A selection has the causes of its findings, with the number of their effects in it.
func TestSelect(t *testing.T) {
	list := Fold([]model.Finding{
		finding(t, "error vtep-missing host/h2 by h2"), finding(t, "error tunnel-blocked host/h2 by h1"), finding(t, "error tunnel-blocked host/h2 by h3"), finding(t, "warning drift host/h3"),
	}, three())
	got := folded(Select(list, func(f *model.Finding) bool { return f.Host == "h1" }))
	if want := []string{"error vtep-missing host/h2 +1", "  error tunnel-blocked host/h2 on h1 < vtep-missing host/h2"}; !slices.Equal(got, want) {
		t.Errorf("want %q, got %q", want, got)
	}
}

// A thousand hosts, each with a fault of its own that explains ten findings.
func BenchmarkFold(b *testing.B) {
	var list []model.Finding
	for i := range 1000 {
		host := fmt.Sprintf("h%d", i)
		list = append(list, model.Finding{Code: model.FindingVTEPMissing, Severity: model.SeverityError, Object: "host/" + host, Host: host})
		for j := range 10 {
			list = append(list, model.Finding{Code: model.FindingTunnelBlocked, Severity: model.SeverityError, Object: "host/" + host, Host: fmt.Sprintf("h%d", (i+j+1)%1000)})
		}
	}
	for b.Loop() {
		Fold(slices.Clone(list), Topology{})
	}
}
