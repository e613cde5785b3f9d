// SPDX-License-Identifier: Apache-2.0

package admit_test

import (
	"testing"

	"github.com/contiv/contiv/daemon/master/enginetest"
)

func TestServices(t *testing.T) {
	shop := "service shop networkName=blue selectors=app=web ports=80:8080:TCP"
	try(t, enginetest.Options{}, []row{
		{"plain", []string{blue}, shop, ""},
		{"an address of its network", []string{blue}, shop + " ipAddress=10.1.1.30", ""},
		{"other ports", []string{blue, shop}, "service shop networkName=blue selectors=app=web ports=81:8080:TCP", ""},
		{"no such network", nil, shop,
			"not-found networkName: Network blue not found (create it with netctl network create --tenant default --subnet ADDRESS/LENGTH blue)"},
		{"another network", []string{blue, shop, "network red encap=vxlan subnet=10.1.2.0/24"}, "service shop networkName=red selectors=app=web ports=80:8080:TCP",
			"immutable networkName: Cannot change network association after service is created. (service shop has an address of network blue; delete the service and create it again)"},
		{"no selector", []string{blue}, "service shop networkName=blue ports=80:8080:TCP",
			"invalid selectors: Invalid selectors: none given (selectors takes at least one key=value)"},
		{"a selector without a value", []string{blue}, "service shop networkName=blue selectors=app ports=80:8080:TCP",
			"invalid selectors: Invalid selector: app (a selector is key=value, with one equals sign)"},
		{"a selector twice", []string{blue}, "service shop networkName=blue selectors=app=a,app=b ports=80:8080:TCP",
			"invalid selectors: Invalid selector: app=b (app cannot be both a and b; leave one out)"},
		{"a port without a protocol", []string{blue}, "service shop networkName=blue selectors=app=web ports=80:8080",
			"invalid ports: Invalid port format: 80:8080 (ports takes servicePort:providerPort:protocol with ports within 1-65535 and the protocol TCP or UDP, for example 80:8080:TCP)"},
		{"a port that is none", []string{blue}, "service shop networkName=blue selectors=app=web ports=0:8080:TCP",
			"invalid ports: Invalid port format: 0:8080:TCP (ports takes servicePort:providerPort:protocol with ports within 1-65535 and the protocol TCP or UDP, for example 80:8080:TCP)"},
		{"an address that is none", []string{blue}, shop + " ipAddress=ten",
			"invalid ipAddress: ipAddress string invalid format (ipAddress takes an IPv4 address, or nothing)"},
		{"an address elsewhere", []string{blue}, shop + " ipAddress=10.1.2.30",
			"conflict ipAddress: requested address is not available: 10.1.2.30 is not given out by 10.1.1.0/24: address is out of range (free are 10.1.1.1-10.1.1.253)"},
		{"an address that is taken", []string{blue, "attach blue c1 address=10.1.1.30"}, shop + " ipAddress=10.1.1.30",
			"conflict ipAddress: requested address 10.1.1.30 is not available (endpoint default:blue:c1 has it)"},
		{"removed, and there is none", nil, "rm service shop",
			`not-found: serviceLB not found (the key is "default:shop"; netctl service ls --all lists them)`},
	})
}
