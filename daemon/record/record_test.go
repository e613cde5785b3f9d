// SPDX-License-Identifier: Apache-2.0

package record

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ipam"
)

// samples returns a record of every type, with every field set.
func samples() []any {
	network := identity.Network{Tenant: "b.c", Name: "a"}
	addr, prefix := netip.MustParseAddr, netip.MustParsePrefix
	return append([]any{
		&Network{ID: network, Kind: DataNetwork, Encap: VXLAN, PktTag: 2, ExtPktTag: 7, Subnet: prefix("10.1.0.0/16"),
			Addresses: ipam.Range{First: addr("10.1.1.5"), Last: addr("10.1.1.9")}, Gateway: addr("10.1.1.254"),
			Subnet6: prefix("fd01::/64"), Gateway6: addr("fd01::fe"), Tag: "io.contiv.network"},
		&Group{ID: identity.Group{Tenant: "b.c", Name: "g"}, Network: network, Number: 3, Encap: VLAN, PktTag: 100, ExtPktTag: 9, DSCP: 10,
			Bandwidth: "10Mbps", Burst: 20, ReceiveRate: "5Mbps", ReceiveBurst: 30, Pool: ipam.Range{First: addr("10.1.1.6"), Last: addr("10.1.1.6")}, Tag: "g.b.c"},
		&Endpoint{ID: identity.Endpoint{Network: network, Endpoint: "x:y-1"}, Group: identity.Group{Tenant: "b.c", Name: "g"}, GroupNumber: 3, Service: "g",
			IP: addr("10.1.1.6"), IP6: addr("fd01::6"), MAC: MAC{2, 2, 10, 1, 1, 6}, Host: "h1", IfName: "eth0", VTEP: addr("192.0.2.1"),
			Labels: map[string]string{"app": "web"}, ContainerID: "c1", CommonName: "pod", Machine: "m1", RuntimeID: "d1", Aliases: []string{"web", "api"},
			Pod: Pod{ID: identity.Pod{Namespace: "ns", Name: "p"}, UID: "u", Ports: []NamedPort{{Name: "http", Protocol: 6, Port: 8080}}}, Swarm: true, DockerNetwork: "n1", Bandwidth: Bandwidth{Send: 1, SendBurst: 2, Receive: 3, ReceiveBurst: 4}},
		&ServiceLB{ID: identity.Service{Tenant: "b.c", Name: "s"}, Network: network, Ports: []string{"80:8080:TCP"}, Selectors: map[string]string{"app": "web"},
			IP: addr("10.1.1.8"), Affinity: AffinityNone},
		&Provider{ID: identity.Service{Tenant: "b.c", Name: "s"}, Addresses: []netip.Addr{addr("10.1.1.6"), addr("10.1.1.10")}},
		&Global{ID: "global", InfraType: "default", FwdMode: FwdRouting, ArpMode: ArpFlood, PvtSubnet: prefix("172.19.0.0/16"), HostAccess: HostDirect, Quarantine: "45s"},
		&Tenant{ID: "b.c", Tenant: "b.c", VRF: 5},
		&Rule{ID: identity.Rule{Policy: identity.Policy{Tenant: "t", Name: "p"}, Rule: "1"}, Direction: DirectionIn, Priority: 1, Action: ActionDeny, Group: "g",
			Network: "n", Peers: []netip.Prefix{prefix("10.1.1.0/24")}, Own: []netip.Prefix{prefix("fd01::/64")}, Protocol: 6, Port: 80, Openings: true},
		&Attachment{ID: identity.Attachment{Group: identity.Group{Tenant: "t", Name: "g"}, Policy: "p"}},
		&BGP{ID: "h1", Hostname: "h1", RouterIP: "50.1.1.2/24", AS: "65002", NeighborAS: "500", Neighbor: "50.1.1.200", RouterIP6: "fd50::2/64", Hops: 1, Prefixes: 1000, Password: "s3cret"},
		&ACIProfile{Key: "t:p", Tenant: "t", Profile: "p", Applied: "a", Tried: "b", Failed: true, Info: "refused"},
		&Service{ServiceName: ServiceMaster, Role: "leader", Version: "1", TTL: 10, HostAddr: "192.0.2.1", Port: 9999, Hostname: "h1", Store: "http://192.0.2.1:2379"},
		&Host{Label: "h1", Machine: "m1", Instance: "s", KubernetesNode: "n1", VTEP: addr("192.0.2.1"), Port: 4789, Control: netip.MustParseAddrPort("192.0.2.1:9090"),
			UplinkMAC: MAC{2, 0, 0, 0, 0, 1}, Node4: addr("192.0.2.1"), Node6: addr("fd00::1"), Version: "1", Since: "2030-01-02T03:04:05Z",
			Own: []netip.Prefix{prefix("192.0.2.1/24")}, Interfaces: []string{"eth0"}},
		&Running{Host: "h1", Since: "2030-01-02T03:04:05Z"},
		&DockerNetwork{ID: "d1", Network: network, Group: "g", Host: "h1", Pools: []netip.Prefix{prefix("10.1.0.0/16")}, Made: true, Managed: true, Internal: true, Gone: true},
		&Nonce{ID: "x"},
		&Mark{ID: "global", Sum: "y"},
		&Acknowledgement{Key: "drift/host/h1", Code: "drift", Object: "host/h1", Reason: "r", By: "ann", At: time.Unix(1, 0).UTC(), Until: time.Unix(2, 0).UTC()},
	}, kubernetesSamples()...)
}

// again stores a record and reads it back, and returns it with the stored text.
func again(t *testing.T, r any) (any, []byte) {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	back := reflect.New(reflect.TypeOf(r).Elem()).Interface()
	if err := json.Unmarshal(text, back); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return back, text
}

// Records are read back with every field, and with each field missing.
func TestRecordsSurvive(t *testing.T) {
	for i, whole := range samples() {
		record := reflect.TypeOf(whole).Elem()
		t.Run(record.Name(), func(t *testing.T) {
			if back, text := again(t, whole); !reflect.DeepEqual(back, whole) {
				t.Errorf("want %+v, got %+v of %s", whole, back, text)
			}
			for f := range record.NumField() {
				lacking := samples()[i]
				field, name := reflect.ValueOf(lacking).Elem().Field(f), record.Field(f).Name
				if field.IsZero() {
					t.Errorf("the sample has no %s", name)
				}
				if slices.Contains([]string{"ID", "Network", "Name", "Tier", "Type"}, name) { // by which a record is known, and read
					continue
				}
				field.SetZero()
				if n, ok := lacking.(*Network); ok && name == "Addresses" {
					n.Addresses = ipam.RangeOf(n.Subnet) // none are all
				}
				if back, text := again(t, lacking); !reflect.DeepEqual(back, lacking) {
					t.Errorf("without %s: want %+v, got %+v of %s", name, lacking, back, text)
				}
			}
		})
	}
}

// The original's tools can read the stored texts: names and ids are the original's.
func TestStoredText(t *testing.T) {
	want := []string{
		`{"id":"a.b.c","tenant":"b.c","networkName":"a","nwType":"data","pktTagType":"vxlan","pktTag":2,"extPktTag":7,"subnetIP":"10.1.0.0","subnetLen":16,` +
			`"gateway":"10.1.1.254","ipAddrRange":"10.1.1.5-10.1.1.9","ipv6SubnetIP":"fd01::","ipv6SubnetLen":64,"ipv6Gateway":"fd01::fe","networkTag":"io.contiv.network"}`,
		`{"id":"g:b.c","groupName":"g","tenantName":"b.c","networkName":"a","endpointGroupId":3,"pktTagType":"vlan","pktTag":100,"extPktTag":9,"DSCP":10,` +
			`"Bandwidth":"10Mbps","Burst":20,"ReceiveBandwidth":"5Mbps","ReceiveBurst":30,"IPPool":"10.1.1.6-10.1.1.6","groupTag":"g.b.c"}`,
		`{"id":"a.b.c-x:y-1","netID":"a.b.c","endpointID":"x:y-1","serviceName":"g","endpointGroupId":3,"endpointGroupKey":"g:b.c","ipAddress":"10.1.1.6",` +
			`"ipv6Address":"fd01::6","macAddress":"02:02:0a:01:01:06","homingHost":"h1","intfName":"eth0","vtepIP":"192.0.2.1","labels":{"app":"web"},` +
			`"containerId":"c1","epCommonName":"pod","runtimeId":"d1","aliases":["web","api"],"swarm":true,"docknetUUID":"n1","machine":"m1","tenant":"b.c",` +
			`"pod":{"name":"ns:p","uid":"u","ports":[{"name":"http","protocol":6,"port":8080}]},"bandwidth":{"send":1,"sendBurst":2,"receive":3,"receiveBurst":4}}`,
		`{"id":"s:b.c","servicename":"s","tenantname":"b.c","subnet":"a","ports":["80:8080:TCP"],"selectors":{"app":"web"},"ipaddress":"10.1.1.8","affinity":"none"}`,
		`{"id":"s:b.c","ServiceName":"s:b.c","Providers":["10.1.1.6","10.1.1.10"]}`,
	}
	for i, r := range samples()[:len(want)] {
		if _, text := again(t, r); string(text) != want[i] {
			t.Errorf("%T: want\n%s\ngot\n%s", r, want[i], text)
		}
	}
}

func TestRefusedTexts(t *testing.T) {
	tests := []struct {
		name string
		of   any
		text string
		want string // in the error
	}{
		{"a subnet's length", &Network{}, `{"subnetIP":"10.1.0.0","subnetLen":33}`, "length 33"},
		{"a subnet's family", &Network{}, `{"subnetIP":"fd01::","subnetLen":64}`, "subnet fd01:: is of the wrong family"},
		{"an IPv6 subnet's family", &Network{}, `{"ipv6SubnetIP":"10.1.0.0","ipv6SubnetLen":16}`, "subnet 10.1.0.0 is of the wrong family"},
		{"a gateway elsewhere", &Network{}, `{"subnetIP":"10.1.0.0","subnetLen":16,"gateway":"10.2.0.1"}`, "gateway 10.2.0.1 is outside of 10.1.0.0/16"},
		{"an IPv6 gateway elsewhere", &Network{}, `{"ipv6SubnetIP":"fd01::","ipv6SubnetLen":64,"ipv6Gateway":"fd02::1"}`, "gateway fd02::1 is outside of fd01::/64"},
		{"a pool that runs backwards", &Group{}, `{"IPPool":"10.1.1.9-10.1.1.6"}`, "greater than the last"},
		{"of no network", &Endpoint{}, `{"netID":"n","endpointID":"c"}`, `netID: got "n", want the name of a network of tenant ""`},
		{"of another tenant's network", &Endpoint{}, `{"netID":"n.t","tenant":"x","endpointID":"c"}`, `of tenant "x"`},
		{"without a name", &Endpoint{}, `{"netID":"n.t","tenant":"t"}`, "endpointID is missing"},
		{"in a group of another tenant", &Endpoint{}, `{"netID":"n.t","endpointID":"c","endpointGroupKey":"g:x"}`, "is not of the form group:t"},
		{"an address of the other family", &Endpoint{}, `{"netID":"n.t","endpointID":"c","ipAddress":"fd01::1"}`, "wrong families"},
		{"an IPv6 address of the other family", &Endpoint{}, `{"netID":"n.t","endpointID":"c","ipv6Address":"10.1.1.1"}`, "wrong families"},
		{"a malformed address", &Endpoint{}, `{"netID":"n.t","endpointID":"c","ipAddress":"ten"}`, `"ten" is not an IP address`},
		{"a malformed MAC address", &Endpoint{}, `{"netID":"n.t","endpointID":"c","macAddress":"02:02"}`, `"02:02" is not a MAC address`},
		{"a service of no tenant", &ServiceLB{}, `{"servicename":"s"}`, "it names no tenant"},
		{"providers of no service", &Provider{}, `{"id":"s"}`, `id "s" is not of the form service:tenant`},
		{"a provider without an address", &Provider{}, `{"id":"s:t","Providers":[""]}`, "is not an IP address"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := json.Unmarshal([]byte(test.text), test.of); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: want an error with %q, got %v, %+v", test.text, test.want, err, test.of)
			}
		})
	}
}

// Records of earlier builds are read.
func TestEarlierTexts(t *testing.T) {
	network := identity.Network{Tenant: "b.c", Name: "a"}
	tests := []struct {
		name, text string
		want       any
	}{
		{"an endpoint that does not name its tenant", `{"id":"a.b.c-x","netID":"a.b.c","endpointID":"x","ipAddress":"10.1.1.6/24"}`,
			&Endpoint{ID: identity.Endpoint{Network: network, Endpoint: "x"}, IP: netip.MustParseAddr("10.1.1.6")}},
		{"providers in the order of their texts", `{"id":"s:t","ServiceName":"s:t","Providers":["10.1.1.10","10.1.1.6"]}`,
			&Provider{ID: identity.Service{Tenant: "t", Name: "s"}, Addresses: []netip.Addr{netip.MustParseAddr("10.1.1.6"), netip.MustParseAddr("10.1.1.10")}}},
		{"a host that reports no addresses and interfaces", `{"host":"h1","machine":"m1","seat":"s","vtep":"192.0.2.1","port":4789,"control":"192.0.2.1:9090","node4":"192.0.2.1","version":"v","since":"2026-11-27T00:00:00Z"}`,
			&Host{Label: "h1", Machine: "m1", Instance: "s", VTEP: netip.MustParseAddr("192.0.2.1"), Port: 4789, Control: netip.MustParseAddrPort("192.0.2.1:9090"), Node4: netip.MustParseAddr("192.0.2.1"), Version: "v", Since: "2026-11-27T00:00:00Z"}},
		{"a network without a range", `{"tenant":"b.c","networkName":"a","subnetIP":"10.1.1.7","subnetLen":24}`,
			&Network{ID: network, Subnet: netip.MustParsePrefix("10.1.1.0/24"),
				Addresses: ipam.Range{First: netip.MustParseAddr("10.1.1.0"), Last: netip.MustParseAddr("10.1.1.255")}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := reflect.New(reflect.TypeOf(test.want).Elem()).Interface()
			if err := json.Unmarshal([]byte(test.text), got); err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("want %+v, got %+v, %v", test.want, got, err)
			}
		})
	}
}

// A host record is compatible with builds before addresses and interfaces were reported, in both directions.
func TestHostOfEarlierBuild(t *testing.T) {
	type earlier struct {
		Label          string         `json:"host"`
		Machine        string         `json:"machine"`
		Seat           string         `json:"seat"`
		VTEP           netip.Addr     `json:"vtep"`
		Port           int            `json:"port"`
		Control        netip.AddrPort `json:"control,omitzero"`
		UplinkMAC      MAC            `json:"uplinkMac,omitzero"`
		Node4          netip.Addr     `json:"node4,omitzero"`
		Node6          netip.Addr     `json:"node6,omitzero"`
		Version        string         `json:"version"`
		Since          string         `json:"since"`
		KubernetesNode string         `json:"kubernetesNode,omitempty"`
	}
	want := Host{Label: "h1", Machine: "m1", Instance: "s", VTEP: netip.MustParseAddr("192.0.2.1"), Port: 4789, Control: netip.MustParseAddrPort("192.0.2.1:9090"),
		UplinkMAC: MAC{2, 0, 0, 0, 0, 1}, Node4: netip.MustParseAddr("192.0.2.1"), Node6: netip.MustParseAddr("2001:db8::1"), Version: "v", Since: "2026-11-27T00:00:00Z", KubernetesNode: "n1"}
	now := want
	now.Own, now.Interfaces = []netip.Prefix{netip.MustParsePrefix("192.0.2.1/24")}, []string{"eth0"}
	text, err := json.Marshal(&now)
	if err != nil {
		t.Fatal(err)
	}
	var there earlier
	if err := json.Unmarshal(text, &there); err != nil {
		t.Fatal(err)
	}
	if text, err = json.Marshal(&there); err != nil {
		t.Fatal(err)
	}
	var back Host
	if err := json.Unmarshal(text, &back); err != nil || !back.Equal(&want) || back.Equal(&now) {
		t.Errorf("want %+v, got %+v, %v", want, back, err)
	}
	if field, why := back.Wrong(); field != "" {
		t.Errorf("want a host of an earlier build accepted: %s: %s", field, why)
	}
	if empty, err := json.Marshal(&want); err != nil || strings.Contains(string(empty), "own") || strings.Contains(string(empty), "interfaces") {
		t.Errorf("a host that reports nothing: got %s, %v", empty, err)
	}
}

func fields(r any) string { return fmt.Sprintf("%+v", reflect.ValueOf(r).Elem().Interface()) }

// Values come from the store, which other programs may write: whatever can be decoded is encoded so that it decodes to the same
// record.
func FuzzRecords(f *testing.F) {
	for i, r := range samples() {
		text, err := json.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(i, text)
	}
	f.Add(0, []byte(`{"subnetIP":"::ffff:10.1.0.0","subnetLen":112,"gateway":"::ffff:10.1.0.1","ipAddrRange":"10.1.0.1"}`))
	f.Add(2, []byte(`{"netID":"a.b.c","endpointID":"\u0000","labels":{},"ipAddress":"::ffff:10.1.1.1","macAddress":"0202.0a01.0101"}`))
	f.Add(4, []byte(`{"id":"s:t:u","Providers":["::1%eth0","::ffff:10.1.1.1","10.1.1.1"]}`))
	f.Fuzz(func(t *testing.T, i int, text []byte) {
		all := samples()
		if i < 0 || i >= len(all) {
			return
		}
		r := reflect.New(reflect.TypeOf(all[i]).Elem()).Interface()
		if json.Unmarshal(text, r) != nil {
			return
		}
		back, written := again(t, r)
		if got, want := fields(back), fields(r); got != want { // an empty list is none
			t.Errorf("%T of %s: want %s, got %s of %s", r, text, want, got, written)
		}
	})
}

// A part of a name finds a container, except letters within a random id of a runtime.
func TestHolds(t *testing.T) {
	const id = "eda0b429deda0698b75ed0a58480fe7204975d37706d4f9cdbd892a64696ded2"
	e := Endpoint{ID: identity.Endpoint{Endpoint: id}, ContainerID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8", CommonName: "shop-desk"}
	for text, want := range map[string]bool{"desk": true, "shop-desk": true, "eda0b": true, id: true, "db": false, "6ba7b810": true, "9dad": false, "till": false} {
		if got := e.Holds(text); got != want {
			t.Errorf("%s: want %t, got %t", text, want, got)
		}
	}
}
