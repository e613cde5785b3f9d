// SPDX-License-Identifier: Apache-2.0

package why_test

import (
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/why"
)

// A name leads to one end, or to an error that explains why it leads to none or to more than one.
func TestNames(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	w.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24 gateway=10.1.1.254 ipv6Subnet=fd01::/64", "group web networkName=blue", "group empty networkName=blue",
		"attach blue web-1 group=web host=h1", "attach blue web-2 group=web host=h2", "attach blue db host=h2",
		"service shop networkName=blue selectors=app=shop ports=80:8080:TCP ipAddress=10.1.1.99",
		"tenant acme", "network red encap=vxlan subnet=10.1.1.0/24 tenantName=acme", "attach red mail host=h1 tenantName=acme", "attach red db host=h1 tenantName=acme")
	w.Registered(t, "h1", "192.0.2.1:9999")
	asker := why.New(w.Catalog, switches(nil), nil, history.Keep{})
	for _, row := range []struct {
		name, text, near string
		narrow           model.WhyRequest
		want             string
	}{
		{"a container", "web-1", "", model.WhyRequest{},
			"endpoint default:blue:web-1, 10.1.1.1, group default:web, on h1"},
		{"the beginning of its name", "ma", "", model.WhyRequest{}, "endpoint acme:red:mail, 10.1.1.1, on h1"},
		{"its id", "default:blue:web-2", "", model.WhyRequest{},
			"endpoint default:blue:web-2, 10.1.1.2, group default:web, on h2"},
		{"its address", "10.1.1.2", "default", model.WhyRequest{},
			"endpoint default:blue:web-2, 10.1.1.2, group default:web, on h2"},
		{"its IPv6 address", "fd01::1", "", model.WhyRequest{},
			"endpoint default:blue:web-1, fd01::1, group default:web, on h1"},
		{"a group stands for one of its containers", "group/web", "", model.WhyRequest{},
			"endpoint default:blue:web-1, standing in for group web, 10.1.1.1, on h1"},
		{"a group without containers", "group/empty", "", model.WhyRequest{},
			"not-found to: group default:empty has no containers (endpoint/NAME means a container; netctl matrix shows what the group's policies say)"},
		{"a service", "shop", "", model.WhyRequest{}, "service default:shop, 10.1.1.99"},
		{"a service by its address", "10.1.1.99", "", model.WhyRequest{}, "service default:shop, 10.1.1.99"},
		{"a host", "host/h1", "", model.WhyRequest{}, "host h1, 192.0.2.1"},
		{"an address outside", "8.8.8.8", "", model.WhyRequest{}, "address 8.8.8.8"},
		{"of two tenants", "db", "", model.WhyRequest{},
			`conflict to: "db" may be endpoint/acme:red:db, endpoint/default:blue:db (say one of these, or narrow it with --tenant and --network)`},
		{"of the other end's tenant", "db", "acme", model.WhyRequest{}, "endpoint acme:red:db, 10.1.1.2, on h1"},
		{"narrowed to a tenant", "db", "", model.WhyRequest{Tenant: "default"},
			"endpoint default:blue:db, 10.1.1.3, on h2"},
		{"narrowed to a network", "db", "", model.WhyRequest{Network: "red"},
			"endpoint acme:red:db, 10.1.1.2, on h1"},
		{"two that begin so", "web-", "", model.WhyRequest{},
			`conflict to: "web-" may be endpoint/default:blue:web-1, endpoint/default:blue:web-2 (say one of these, or narrow it with --tenant and --network)`},
		{"nothing", "absent", "", model.WhyRequest{},
			`not-found to: nothing is called "absent" (it is a container, pod (NAMESPACE/NAME), group, service, host or address; netctl endpoint ls shows containers)`},
		{"another kind", "service/web-1", "", model.WhyRequest{},
			`not-found to: nothing is called "service/web-1" (it is a container, pod (NAMESPACE/NAME), group, service, host or address; netctl endpoint ls shows containers)`},
	} {
		t.Run(row.name, func(t *testing.T) {
			e, err := asker.Find("to", row.text, row.near, row.narrow)
			got := e.String()
			if err != nil {
				got = enginetest.Say(err)
			}
			if got != row.want {
				t.Errorf("%s\nwant %q\ngot  %q", row.text, row.want, got)
			}
		})
	}
}

// The description of an end has the endpoint, and the container if its name differs.
func TestWhyNamesContainers(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	w.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24 gateway=10.1.1.254", "attach blue 5e1f host=h1", "attach blue db host=h1",
		"start blue 5e1f name=web", "start blue db")
	got, err := why.New(w.Catalog, switches(nil), nil, history.Keep{}).Ask(t.Context(), model.WhyRequest{From: "web", To: "db"})
	if err != nil || got.From.String() != "endpoint default:blue:5e1f, container web, 10.1.1.1, on h1" || got.To.String() != "endpoint default:blue:db, 10.1.1.2, on h1" {
		t.Errorf("want only the first with a container's name, got %q and %q, %v", got.From.String(), got.To.String(), err)
	}
}
