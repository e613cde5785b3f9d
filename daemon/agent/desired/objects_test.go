// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

// pool are records that come and go: for each key what it may hold.
func pool() map[string][]string {
	out := map[string][]string{
		record.GlobalKey: {`{"fwd-mode":"bridge","pvt-subnet":"172.19.0.0/16"}`, `{"fwd-mode":"routing","arp-mode":"flood","pvt-subnet":"172.20.0.0/16"}`,
			`{"nw-infra-type":"aci","fwd-mode":"bridge"}`},
		record.Tenants + "blue":      {`{"tenant":"blue","vrf":3}`, `{"tenant":"blue","vrf":4}`},
		record.Tenants + "re.d":      {`{"tenant":"re.d","vrf":5}`},
		record.Networks + "blue:net": {`{"tenant":"blue","networkName":"net","pktTagType":"vlan","pktTag":6,"subnetIP":"10.0.0.0","subnetLen":24}`},
		record.Networks + "re.d:net": {`{"tenant":"re.d","networkName":"net","pktTagType":"vxlan","pktTag":1,"extPktTag":7}`},
		record.Groups + "blue:g": {`{"groupName":"g","tenantName":"blue","networkName":"net","endpointGroupId":2,"pktTagType":"vlan","pktTag":6}`,
			`{"groupName":"g","tenantName":"blue","networkName":"net","endpointGroupId":3,"pktTagType":"vlan","pktTag":9}`},
		record.ServiceLBs + "blue:v": {`{"servicename":"v","tenantname":"blue","ipaddress":"10.0.0.99","ports":["80:8080:TCP"]}`},
		record.Providers + "blue:v":  {`{"id":"v:blue","Providers":["10.0.0.1"]}`, `{"id":"v:blue","Providers":["10.0.0.1","10.0.0.2"]}`},
		record.Rules + "blue:p:r": {`{"id":"blue:p:r","direction":"in","action":"deny","priority":10,"group":"g"}`,
			`{"id":"blue:p:r","direction":"in","action":"deny","priority":10,"network":"net"}`, `{"action":"deny"}`},
		record.Rules + "blue:p:more":                       {`{"id":"blue:p:more","direction":"out","action":"allow","priority":1}`, `{"action":"allow"}`},
		record.Attachments + "blue:g:p":                    {`{"id":"blue:g:p"}`},
		record.LegacyAttachments + "blue:g:blue:p":         {`{}`},
		record.LegacyAttachments + "blue:h:blue:p":         {`{}`},
		record.LegacyRules + "blue:g:blue:p:blue:p:r:inRx": legacyRules("blue:g:blue:p:blue:p:r:inRx"),
		record.LegacyRules + "blue:h:blue:p:blue:p:r:inRx": legacyRules("blue:h:blue:p:blue:p:r:inRx"),
		record.LegacyRules + "blue:h:blue:p:blue:p:r:inTx": legacyRules("blue:h:blue:p:blue:p:r:inTx"),
		record.Hosts + "h2":                                {`{"host":"h2","machine":"m","vtep":"192.0.2.2","port":4789}`, `{"host":"h2","machine":"m","vtep":"192.0.2.22","port":4789}`},
		record.Hosts + "h3":                                {`{"host":"h3","machine":"m","vtep":"192.0.2.3","port":4789}`},
	}
	for ns := range 2 {
		name := fmt.Sprint("ns", ns)
		out[record.Namespaces+name] = []string{fmt.Sprintf(`{"name":%q,"uid":"u","labels":{"team":"a"}}`, name), fmt.Sprintf(`{"name":%q,"uid":"u"}`, name)}
		out[record.NetworkPolicies+name+":p"] = []string{fmt.Sprintf(`{"id":"%s:p","pods":[{"key":"app","operator":"In","values":["web"]}],"ingress":{"isolates":true,"rules":[{"number":1,"peers":[{"own":true},{"namespaces":[{"key":"team","operator":"Exists"}]}]}]}}`, name),
			fmt.Sprintf(`{"id":"%s:p","egress":{"isolates":true,"rules":[{"number":1,"ports":[{"protocol":6,"name":"http"}]}]}}`, name), `{"id":"else:p"}`, `{`}
	}
	out[record.ClusterNetworkPolicies+"c"] = []string{`{"name":"c","tier":"Admin","ingress":{"rules":[{"number":1,"action":"Deny","peers":[{"pods":[{"key":"app","operator":"DoesNotExist"}]}]}]}}`,
		`{"name":"c","tier":"Baseline","priority":7,"egress":{"rules":[{"number":1,"action":"Pass","peers":[{"block":"10.0.0.0/8"}]}]}}`, `{"tier":"none"}`}
	for n := range 4 {
		for i, tenant := range []string{"blue", "re.d"} {
			key := fmt.Sprintf("%s%s:net:%d", record.Endpoints, tenant, n)
			for _, host := range []string{"h1", "h2", "h3"} {
				out[key] = append(out[key], fmt.Sprintf(`{"tenant":%[1]q,"netID":"net.%[1]s","endpointID":"%[2]d","endpointGroupKey":%[3]q,"macAddress":"02:02:00:00:00:0%[2]d","ipAddress":"10.0.0.%[2]d","homingHost":%[4]q}`,
					tenant, n, []string{"g:blue", ""}[i], host),
					fmt.Sprintf(`{"tenant":%[1]q,"netID":"net.%[1]s","endpointID":"%[2]d","macAddress":"02:02:00:00:00:0%[2]d","ipAddress":"10.0.0.%[2]d","homingHost":%[3]q,"labels":{"app":%[4]q},"pod":{"name":"ns%[5]d:p%[2]d","ports":[{"name":"http","protocol":6,"port":%[6]d}]}}`,
						tenant, n, host, []string{"web", "db"}[n%2], i, 80+n%3))
			}
		}
	}
	return out
}

// legacyRules are records of an earlier build: of rules about group number 2, and one that cannot be read.
func legacyRules(id string) []string {
	return []string{fmt.Sprintf(`{"id":%q,"Action":"deny","Priority":10,"SrcEndpointGroup":2,"DstEndpointGroup":2}`, id), `{"Action":"deny"}`}
}

// TestTranslateAtRandom lets records come, change and go, several at a time and in any order: to translate what has changed must give what
// translating everything gives.
func TestTranslateAtRandom(t *testing.T) {
	pool, random := pool(), rand.New(rand.NewPCG(5, 6))
	var keys []string
	for key := range pool {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	r, s := newRecords("h1"), ofnet.NewState("h1")
	have, rev := map[string]channel.Item{}, uint64(0)
	for step := range 3000 {
		before := r.clone()
		for range 1 + random.IntN(3) {
			key := keys[random.IntN(len(keys))]
			if _, ok := have[key]; ok && key != record.GlobalKey && random.IntN(3) == 0 {
				delete(have, key)
				r.del(key)
				continue
			}
			rev++
			have[key] = channel.Item{Key: key, Value: []byte(pool[key][random.IntN(len(pool[key]))]), Revision: rev}
			_ = r.put(have[key]) // of a rule that denies all it is an error
		}
		r.translate(before, s)
		all, want := newRecords("h1"), ofnet.NewState("h1")
		for _, item := range have {
			_ = all.put(item)
		}
		for label, h := range r.hosts.All() { // the source of a host's address is forgotten
			all.hosts.Set(label, h)
		}
		all.translate(newRecords("h1"), want)
		if got, want := texts(s), texts(want); got != want {
			t.Fatalf("step %d: want\n%s\ngot\n%s", step, want, got)
		}
	}
	if s.Endpoints.Len()+s.Segments.Len() == 0 {
		t.Error("want something left, got nothing")
	}
}
