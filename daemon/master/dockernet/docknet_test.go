// SPDX-License-Identifier: Apache-2.0

package dockernet_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/dockernet"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/record"
)

// world returns engines with the networks and groups of two tenants, some with the same subnets and tags.
func world(t *testing.T) (*enginetest.World, *dockernet.Service) {
	t.Helper()
	w := enginetest.Start(t, enginetest.Options{ClusterMode: "docker"})
	w.Must(t,
		"network blue encap=vxlan subnet=10.1.1.0/24 gateway=10.1.1.254 ipv6Subnet=fd01::/64 ipv6Gateway=fd01::fe",
		"network bare encap=vxlan subnet=10.2.1.0/24 cfgdTag=both",
		"group web networkName=blue cfgdTag=both", "group range networkName=blue ipPool=10.1.1.10-10.1.1.20",
		"tenant shop", "network blue tenantName=shop encap=vxlan subnet=10.1.1.0/24 cfgdTag=twice",
		"network red tenantName=shop encap=vxlan subnet=10.3.1.0/24 cfgdTag=twice",
		"network hosts nwType=infra encap=vlan subnet=10.5.1.0/24")
	return w, dockernet.New(w.Commit, w.Admit, w.Catalog)
}

// options parses "name=value name=value".
func options(text string) map[string]string {
	out := map[string]string{}
	for _, word := range strings.Fields(text) {
		name, value, _ := strings.Cut(word, "=")
		out[name] = value
	}
	return out
}

func TestPool(t *testing.T) {
	_, s := world(t)
	for _, row := range []struct {
		name, options, subnet string
		v6                    bool
		want                  string // pool and gateway, or what the refusal says
	}{
		{"by network", "network=blue", "", false, "default:blue:|10.1.1.0/24 10.1.1.254/24"},
		{"of a tenant", "tenant=shop network=red", "", false, "shop:red:|10.3.1.0/24 "},
		{"IPv6", "network=blue", "", true, "default:blue:|fd01::/64 fd01::fe/64"},
		{"IPv6 that is not there", "network=bare", "", true, "network default:bare has no IPv6 subnet"},
		{"by group", "group=web", "", false, "default:blue:web|10.1.1.0/24 10.1.1.254/24"},
		{"a group with addresses of its own", "group=range", "", false, "default:blue:range|10.1.1.0/24 10.1.1.254/24"},
		{"a group that is elsewhere", "network=bare group=web", "", false, "it is on network blue"},
		{"a group that is not there", "group=none", "", false, "endpoint group default:none not found"},
		{"by tag, a group's first", "contiv-tag=both", "", false, "default:blue:web|10.1.1.0/24 10.1.1.254/24"},
		{"by the tag that a group has of itself", "contiv-tag=range.default", "", false, "default:blue:range|10.1.1.0/24 10.1.1.254/24"},
		{"by the tag that a network has of itself", "contiv-tag=blue.default", "", false, "default:blue:|10.1.1.0/24 10.1.1.254/24"},
		{"a tag of several", "contiv-tag=twice", "", false, "it is of network shop:blue, network shop:red"},
		{"a tag of none", "contiv-tag=none", "", false, `no group and no network has the tag "none"`},
		{"by subnet", "", "10.3.1.0/24", false, "shop:red:|10.3.1.0/24 "},
		{"a subnet of several", "", "10.1.1.0/24", false, "they are default:blue, shop:blue"},
		{"a subnet of one of the tenant", "tenant=shop", "10.1.1.0/24", false, "shop:blue:|10.1.1.0/24 "},
		{"a subnet of none", "", "10.9.0.0/16", false, "default::|10.9.0.0/16 "},
		{"a network that is to come", "network=new", "10.9.0.0/16", false, "default:new:|10.9.0.0/16 "},
		{"a network that is not there", "network=new", "", false, "network default:new not found"},
		{"another subnet", "network=blue", "10.9.0.0/16", false, "subnet 10.9.0.0/16 is not the one of network default:blue (it is 10.1.1.0/24"},
		{"nothing", "", "", false, "--ipam-opt tenant=T"},
		{"no tenant", "tenant=none network=blue", "", false, "Tenant not found"},
		{"a network of the hosts", "network=hosts", "", false, "network default:hosts is not for containers"},
		{"no subnet", "", "10.9", false, `"10.9" is not a subnet`},
	} {
		t.Run(row.name, func(t *testing.T) {
			out, err := s.Pool(model.DockerPoolRequest{Pool: row.subnet, Options: options(row.options), V6: row.v6})
			if got := out.PoolID + " " + out.Gateway; err == nil && got != row.want {
				t.Errorf("want %q, got %q", row.want, got)
			} else if err != nil && !strings.Contains(err.Error(), row.want) {
				t.Errorf("want %q, got %v", row.want, err)
			}
		})
	}
	if _, err := s.Pool(model.DockerPoolRequest{SubPool: "10.1.1.0/28", Options: options("network=blue")}); err == nil {
		t.Error("--ip-range is not refused")
	}
}

func TestCreate(t *testing.T) {
	for _, row := range []struct {
		name, options string
		subnets       []string
		requested     []string
		want          string // network, group, and whether it was made, or what the refusal says
	}{
		{"by options", "network=blue", []string{"10.1.1.0/24", "fd01::/64"}, nil, "default:blue  false"},
		{"by the pool", "", []string{"10.1.1.0/24"}, []string{"shop:blue:|10.1.1.0/24"}, "shop:blue  false"},
		{"by both", "tenant=default network=blue", []string{"10.1.1.0/24"}, []string{"default:blue:web|10.1.1.0/24"}, "default:blue web false"},
		{"by one of the pools", "group=web", []string{"10.1.1.0/24"}, []string{"default:blue:web|10.1.1.0/24", "shop:blue:|10.1.1.0/24"}, "default:blue web false"},
		{"by tag and pool", "contiv-tag=both", []string{"10.1.1.0/24"}, []string{"default:blue:web|10.1.1.0/24"}, "default:blue web false"},
		{"several pools", "", []string{"10.1.1.0/24"}, []string{"default:blue:|10.1.1.0/24", "shop:blue:|10.1.1.0/24"}, "several Docker networks"},
		{"what contradicts", "network=bare", []string{"10.1.1.0/24"}, []string{"default:blue:|10.1.1.0/24"}, "say the same with -o and --ipam-opt"},
		{"a tag that contradicts", "contiv-tag=range.default", []string{"10.1.1.0/24"}, []string{"default:blue:web|10.1.1.0/24"}, "say the same with -o and --ipam-opt"},
		{"another subnet", "network=blue", []string{"10.8.0.0/24"}, nil, "is not the one of network default:blue"},
		{"by subnet", "", []string{"10.3.1.0/24"}, nil, "shop:red  false"},
		{"subnets of several", "", []string{"10.1.1.0/24"}, nil, "several networks have subnet"},
		{"one that is to be made", "", []string{"10.9.0.0/16", "fd09::/64"}, []string{"default::|10.9.0.0/16", "default::|fd09::/64"}, "default:d1  true"},
		{"with a name", "network=new tenant=shop", []string{"10.9.0.0/16"}, nil, "shop:new  true"},
		{"that shares addresses", "network=new", []string{"10.1.0.0/16"}, nil, "overlaps with"},
		{"with another encapsulation", "network=new encap=gre", []string{"10.9.0.0/16"}, nil, "it is vlan or vxlan"},
		{"no IPv4", "network=blue", []string{"fd01::/64"}, nil, "has no IPv4 subnet"},
		{"two subnets of a family", "network=blue", []string{"10.1.1.0/24", "10.9.0.0/16"}, nil, "one subnet of a family"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, s := world(t)
			q := model.DockerNetworkRequest{ID: "d1", Host: "h1", Options: options(row.options), Requested: row.requested}
			for _, text := range row.subnets {
				q.Pools = append(q.Pools, model.DockerPool{Subnet: text})
			}
			var first record.DockerNetwork
			for i := range 2 { // saying it again changes nothing
				d, _, err := s.Create(t.Context(), q)
				if err != nil {
					if !strings.Contains(err.Error(), row.want) {
						t.Errorf("want %q, got %v", row.want, err)
					}
					return
				}
				if got := fmt.Sprint(d.Network, " ", d.Group, " ", d.Made); got != row.want {
					t.Errorf("want %q, got %q", row.want, got)
				}
				if first.ID == "" {
					first = d
				} else if i == 1 && (first.Network != d.Network || first.Made != d.Made) {
					t.Errorf("said again: want %v, got %v", first, d)
				}
			}
		})
	}
}

// create creates a Docker network.
func create(t *testing.T, s *dockernet.Service, id, host, text, subnet string) {
	t.Helper()
	_, _, err := s.Create(t.Context(), model.DockerNetworkRequest{ID: id, Host: host, Options: options(text), Pools: []model.DockerPool{{Subnet: subnet}}})
	if err != nil {
		t.Fatal(err)
	}
}

// A network cannot be deleted while a user's Docker network refers to it. A Docker network that an agent created does not prevent the
// deletion, and is deleted too.
func TestWhatDockerNetworksHold(t *testing.T) {
	w, s := world(t)
	create(t, s, "d1", "h1", "group=web", "10.1.1.0/24")
	create(t, s, "d2", "h2", "network=bare", "10.2.1.0/24")
	create(t, s, "d3", "h2", "network=bare io.contiv.managed=true", "10.2.1.0/24")
	for line, want := range map[string]string{
		"rm group web":    "Docker network d1 of host h1 is group web (docker network rm d1 there; if Docker no longer has it: netctl docknet rm d1)",
		"rm network bare": "Docker network d2 of host h2 is network bare",
	} {
		if _, err := w.Do(line); !strings.Contains(enginetest.Say(err), want) {
			t.Errorf("%s: want %q, got %v", line, want, err)
		}
	}
	for _, q := range []model.DockerNetworkRemoval{{ID: "d2", Host: "h1"}, {ID: "none", Host: "h1"}} { // of another host, and of none
		if _, err := s.Delete(t.Context(), q); err != nil {
			t.Error(err)
		}
	}
	if got := ids(w); got != "d1 d2 d3" {
		t.Errorf("Docker networks: %s", got)
	}
	for _, q := range []model.DockerNetworkRemoval{{ID: "d1", Host: "h1"}, {ID: "d2"}} {
		if _, err := s.Delete(t.Context(), q); err != nil {
			t.Error(err)
		}
	}
	w.Must(t, "rm group web", "rm network bare")
	if got := ids(w); got != "" {
		t.Errorf("Docker networks that stand for nothing: %s", got)
	}
}

func ids(w *enginetest.World) string {
	var out []string
	w.Catalog.View(func(v *catalog.View) {
		for _, d := range v.DockerNetworks() {
			out = append(out, d.ID)
		}
	})
	return strings.Join(out, " ")
}

// A network that was created for Docker networks is deleted with the last of these, unless others use it.
func TestMadeNetworks(t *testing.T) {
	for _, row := range []struct {
		name, more, then, want string // what is done meanwhile and afterwards, and what is asked
	}{
		{"unused", "", "", "rm network new"},
		{"used by a group", "group g networkName=new", "rm group g", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			w, s := world(t)
			create(t, s, "d1", "h1", "network=new", "10.9.0.0/16")
			create(t, s, "d2", "h2", "network=new", "10.9.0.0/16")
			if row.more != "" {
				w.Must(t, row.more)
			}
			for _, host := range []string{"h2", "h1"} {
				if _, err := s.Forget(context.Background(), host); err != nil {
					t.Fatal(err)
				}
			}
			if got := ids(w); got != "" {
				t.Errorf("Docker networks of hosts that are forgotten: %s", got)
			}
			if row.then != "" {
				w.Must(t, row.then, "rm network new")
				return
			}
			if _, err := w.Do(row.want); err == nil {
				t.Error("the network is still there")
			}
		})
	}
}

// A network that was created for a Docker network is deleted with it, once the endpoints of containers that died without a report are gone.
func TestGone(t *testing.T) {
	w, s := world(t)
	create(t, s, "d1", "h1", "network=new", "10.9.0.0/16")
	q := model.CreateEndpointRequest{TenantName: "default", NetworkName: "new", EndpointID: "c1", DockerNetwork: "d1",
		ConfigEP: model.EndpointConfigRequest{Container: "c1", Host: "h1"}}
	if _, _, err := w.Service.Create(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	remove := model.DockerNetworkRemoval{ID: "d1", Host: "h1"}
	for range 2 { // a repetition is harmless
		if _, err := s.Delete(t.Context(), remove); err != nil {
			t.Fatal(err)
		}
	}
	gone := func() (known, is bool) {
		w.Catalog.View(func(v *catalog.View) {
			if d := v.DockerNetwork("d1"); d != nil {
				known, is = true, d.Gone
			}
		})
		return known, is
	}
	if known, is := gone(); !known || !is {
		t.Fatalf("it has an endpoint: want it kept, and gone; got %t, %t", known, is)
	}
	create(t, s, "d1", "h1", "network=new", "10.9.0.0/16")
	if known, is := gone(); !known || is {
		t.Errorf("it was recreated: want it there; got %t, gone %t", known, is)
	}
	if _, err := s.Delete(t.Context(), remove); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Finish(ctx, slog.New(slog.DiscardHandler))
	}()
	time.Sleep(10 * time.Millisecond)
	if known, _ := gone(); !known {
		t.Error("it went before its endpoint")
	}
	if _, _, err := w.Service.Delete(t.Context(), model.DeleteEndpointRequest{TenantName: "default", NetworkName: "new", EndpointID: "c1"}); err != nil {
		t.Fatal(err)
	}
	for last := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if known, _ := gone(); !known {
			break
		}
		if time.Now().After(last) {
			t.Fatal("it is still there without its endpoint")
		}
	}
	end()
	<-ended
	if _, err := w.Do("rm network new"); err == nil {
		t.Error("the network is still there")
	}
}

// A network that was created for a Docker network without a name gets Docker's name while it has no endpoints. A network with a name keeps
// it, and networks of another host's engine get no name.
func TestName(t *testing.T) {
	w, s := world(t)
	w.Must(t, "network taken encap=vxlan subnet=10.8.0.0/24")
	name := func(id, host, docker, want, refused string) {
		t.Helper()
		_, err := s.Name(t.Context(), model.DockerNetworkName{ID: id, Host: host, Name: docker})
		if refused == "" && err != nil || refused != "" && (err == nil || !strings.Contains(err.Error(), refused)) {
			t.Errorf("%s as %s: want refused %q, got %v", id, docker, refused, err)
		}
		w.Catalog.View(func(v *catalog.View) {
			if d := v.DockerNetwork(id); d == nil || d.Network.Name != want || v.Network(d.Network) == nil {
				t.Errorf("%s as %s: want it to stand for network %s, got %+v", id, docker, want, d)
			}
		})
	}
	create(t, s, "d1", "h1", "", "10.9.0.0/16")
	name("d1", "h2", "shop_default", "d1", "has no network d1")
	name("d1", "h1", "___", "d1", "want a name")
	name("d1", "h1", "taken", "d1", "already")
	name("d1", "h1", "shop_default", "shop-default", "")
	name("d1", "h1", "other", "shop-default", "") // it has a name now
	w.Catalog.View(func(v *catalog.View) {
		for _, n := range v.Networks("default") {
			if n.Record.ID.Name == "d1" {
				t.Error("the network of the id is still there")
			}
		}
	})
	create(t, s, "d2", "h1", "network=new", "10.10.0.0/16")
	name("d2", "h1", "other", "new", "")
	create(t, s, "d3", "h1", "", "10.11.0.0/16")
	if _, _, err := w.Service.Create(t.Context(), model.CreateEndpointRequest{TenantName: "default", NetworkName: "d3", EndpointID: "c1", DockerNetwork: "d3",
		ConfigEP: model.EndpointConfigRequest{Container: "c1", Host: "h1"}}); err != nil {
		t.Fatal(err)
	}
	name("d3", "h1", "late", "d3", "has endpoints")
	if _, err := s.Delete(t.Context(), model.DockerNetworkRemoval{ID: "d1", Host: "h1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Do("rm network shop-default"); err == nil {
		t.Error("the network that was made goes with Docker's, also when it was named")
	}
}

// When an agent requests it, exactly the records that earlier builds kept of its host's networks are deleted, in one transaction. The
// records for agents of earlier builds are still created.
func TestRelease(t *testing.T) {
	w, s := world(t)
	for _, d := range []string{"k1", "k2", "k3"} {
		create(t, s, d, "h1", "network=bare io.contiv.managed=true", "10.2.1.0/24")
	}
	create(t, s, "mine", "h1", "network=bare", "10.2.1.0/24")
	create(t, s, "other", "h2", "network=bare io.contiv.managed=true", "10.2.1.0/24")
	create(t, s, "swarm", "", "network=bare io.contiv.managed=true", "10.2.1.0/24")
	create(t, s, "made", "h1", "network=new io.contiv.managed=true", "10.9.0.0/16")
	began := w.Catalog.Revision()
	if _, err := s.Delete(t.Context(), model.DockerNetworkRemoval{Host: "h1", Kept: []string{"k1", "k2", "mine", "other", "swarm", "made", "none"}}); err != nil {
		t.Fatal(err)
	}
	if got := ids(w); got != "k3 made mine other swarm" || w.Catalog.Revision() != began+1 {
		t.Errorf("want k1 and k2 deleted in one commit, got %s in %d", got, w.Catalog.Revision()-began)
	}
	for _, q := range []model.DockerNetworkRemoval{{Kept: []string{"swarm"}}, {Host: "h1", Kept: make([]string, model.MaxKept+1)}} {
		if _, err := s.Delete(t.Context(), q); err == nil || ids(w) != "k3 made mine other swarm" {
			t.Errorf("host %q, %d ids: want a refusal, got %v; left %s", q.Host, len(q.Kept), err, ids(w))
		}
	}
	if _, err := s.Forget(t.Context(), "h1"); err != nil || ids(w) != "other swarm" {
		t.Errorf("a host that is forgotten: %v; left %s", err, ids(w))
	}
}
