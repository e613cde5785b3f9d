// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/mastertest"
)

// labelledManifest is one application in one tenant.
const labelledManifest = `- {kind: tenant, tenantName: shop, labels: {app: shop}}
- {kind: network, tenantName: shop, networkName: front, encap: vxlan, subnet: 10.7.0.0/24, labels: {app: shop}}
- {kind: endpointGroup, tenantName: shop, networkName: front, groupName: web, labels: {app: shop}}
`

func TestLabelCommand(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Must(t, "tenant shop", "network front tenantName=shop encap=vxlan subnet=10.7.0.0/24", "network back tenantName=shop encap=vxlan subnet=10.8.0.0/24", "network own encap=vxlan subnet=10.9.0.0/24")
	changes(t, m.URL, []change{
		{"label network -t shop front app=shop", "", 0, "network shop:front updated\n", ""},
		{"label network/shop:front app=shop", "", 0, "network shop:front unchanged\n", ""},
		{"label network/shop:front app=bank", "", 3, "", `label app already has the value "shop" (replace it with --overwrite)`},
		{"label network/shop:front app=bank --overwrite --dry-run", "", 0, "network shop:front updated (dry run)\n", ""},
		{"label network -t shop --all team=a", "", 0, "network shop:back updated\nnetwork shop:front updated\n", ""},
		{"label network -t shop -l app=shop,team=a tier=front", "", 0, "network shop:front updated\n", ""},
		{"label network -t shop -l app=none tier=front", "", 0, "", "no networks selected"},
		{"label network -t shop front back team-", "", 0, "network shop:front updated\nnetwork shop:back updated\n", ""},
		{"label network -t shop front nowhere team=b", "", 3, "", "nowhere"},
		{"label network -t shop front team=_", "", 3, "", `labels: got value "_" of team`},
		{"label network -t shop front", "", 1, "", "at least one KEY=VALUE or KEY- is required"},
		{"label network app=shop", "", 1, "", "expected KIND NAME or KIND -l SELECTOR, got only network"},
		{"label network front app=shop back", "", 1, "", `got "back" after a label`},
		{"label network front app=shop app-", "", 1, "", "label app is both set and removed"},
		{"label network front app=shop app=bank", "", 1, "", "label app: got two values, shop and bank"},
		{"label network front -l app=shop a=b", "", 1, "", "remove front"},
		{"label network --all -l app=shop a=b", "", 1, "", "--selector and --all exclude each other"},
		{"label network --selector= a=b", "", 1, "", "got an empty selector"},
		{"label endpoint e1 a=b", "", 1, "", "their containers determine them"},
		{"label kubeservice a/b a=b", "", 3, "", "Kubernetes owns it"},
		{"get network -t shop --show-labels", "", 0, "Tenant  Network  Nw Type  Encap type  Packet tag  Subnet       Gateway  IPv6Subnet  IPv6Gateway  Cfgd Tag   VNI  Used  Free  Labels\n" +
			"------  -------  -------  ----------  ----------  -------      ------   ----------  -----------  ---------  ---  ----  ----  ------\n" +
			"shop    back     data     vxlan       0           10.8.0.0/24                                               2    0     254\n" +
			"shop    front    data     vxlan       0           10.7.0.0/24                                               1    0     254   app=shop,tier=front\n", ""},
		{"get all -t shop -l tier=front -o name", "", 0, "network/shop:front\n", ""},
		{"network ls -t shop -q -l tier", "", 0, "front\n", ""},
		{"delete network -l app=shop --dry-run -t shop", "", 0, "network shop:front deleted (dry run)\n", ""},
		{"delete network -l app=shop -t shop", "", 0, "network shop:front deleted\n", ""},
		{"delete network -l app=shop -t shop", "", 0, "", "no networks selected"},
		{"delete network --selector= -t shop", "", 1, "", "got an empty selector"},
		{"delete network -l app=shop back", "", 1, "", "remove back"},
	})
}

// Files with a label are the source of all objects with the label, of all kinds and tenants.
func TestPruneByLabel(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Must(t, "tenant bank", "policy other tenantName=bank")
	lines := strings.SplitAfter(labelledManifest, "\n")
	shorter := lines[0]
	changes(t, m.URL, []change{
		{"apply -f FILE --prune -l app=shop", labelledManifest, 0, "tenant shop created\nnetwork shop:front created\nendpointGroup shop:web created\n", ""},
		{"export -t shop", "", 0, "---\nkind: tenant\ntenantName: shop\nlabels:\n  app: shop\n---\nkind: network\ntenantName: shop\nnetworkName: front\nencap: vxlan\nlabels:\n  app: shop\nnwType: data\nsubnet: 10.7.0.0/24\n" +
			"---\nkind: endpointGroup\ntenantName: shop\ngroupName: web\nlabels:\n  app: shop\nnetworkName: front\n", ""},
		{"label policy/bank:other app=shop", "", 0, "policy bank:other updated\n", ""},
		{"label global global app=shop", "", 0, "global global updated\n", ""},
		{"diff -f FILE --prune -l app=shop -t shop", shorter, 10, "- endpointGroup shop:web (affects group shop:web)\n- network shop:front\n", "2 of 3 objects differ"},
		{"apply -f FILE --prune -l app=shop", shorter, 10, "tenant shop unchanged (dry run)\nendpointGroup shop:web deleted (dry run) (affects group shop:web)\npolicy bank:other deleted (dry run)\nnetwork shop:front deleted (dry run)\n",
			"nothing was changed: 3 objects that are not in the files would be deleted"},
		{"apply -f FILE --prune -l app=shop --yes", shorter, 0, "tenant shop unchanged\nendpointGroup shop:web deleted\npolicy bank:other deleted\nnetwork shop:front deleted\n", ""},
		{"apply -f FILE --prune -l app=shop", shorter, 0, "tenant shop unchanged\n", ""},
		{"apply -f FILE --prune -l app=shop", shorter + "- {kind: policy, tenantName: shop, policyName: p}\n", 3, "", "1 of 2 objects do not match the selector app=shop, which could not prune them later: policy shop:p"},
		{"apply -f FILE --prune --selector=", shorter, 1, "", "got an empty selector"},
		{"apply -f FILE -l app=shop", shorter, 1, "", "--tenant, --selector and --yes require --prune"},
		{"diff -f FILE", "{kind: tenant, tenantName: shop}", 10, "~ tenant shop\n    labels: [app=shop] -> \"\"\n", "1 of 1 objects differ"},
	})
}
