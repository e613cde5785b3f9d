// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"strings"

	"github.com/contiv/contiv/api/model"
)

// commands is the section of the commands that show more.
func (f *facts) commands() *Section {
	s := &Section{Title: "Commands"}
	add := func(name, line string) { s.Rows = append(s.Rows, row(name, plain("%s", line))) }
	name := f.name()
	switch {
	case f.endpoint != nil:
		add("why", "netctl why "+name+" TO tcp PORT")
		add("connections", "netctl observe -f --from "+name)
		add("packets", "netctl capture "+name)
		add("flows", "netctl flows "+f.endpoint.HomingHost+" --owner "+name)
		add("log", "netctl logs "+f.endpoint.HomingHost)
		add("checks", "netctl doctor "+f.key)
		if line := Shell(f.endpoint.Pod, f.endpoint.ContainerName, f.endpoint.HomingHost, ""); line != nil {
			add("shell", strings.Join(line, " "))
		}
	case f.kind == nil && f.isMaster():
		add("leader", "netctl leader")
		add("checks", "netctl doctor")
		return s
	case f.kind == nil:
		add("log", "netctl logs "+f.key)
		add("flows", "netctl flows "+f.key)
		add("drift", "netctl drift "+f.key)
		add("connections", "netctl observe -f --from host/"+f.key)
		add("checks", "netctl doctor "+f.key)
		return s
	case f.is(model.KindEndpointGroup()):
		add("why", "netctl why "+name+" TO tcp PORT")
		add("connections", "netctl observe -f --from "+name)
		add("packets", "netctl capture "+name)
		add("matrix", "netctl matrix -t "+f.tenant())
	case f.is(model.KindServiceLB()):
		add("why", "netctl why FROM "+name)
		add("connections", "netctl observe -f --service "+f.key)
	case f.is(model.KindRule(), model.KindPolicy()):
		add("connections", "netctl observe -f --rule "+f.key)
		add("matrix", "netctl matrix -t "+f.tenant())
	case f.is(model.KindNetwork()):
		add("addresses", "netctl ip show "+f.field("networkName")+" -t "+f.tenant())
	case f.is(model.KindTenant()):
		add("matrix", "netctl matrix -t "+f.key)
		add("connections", "netctl observe -f -t "+f.key)
	}
	add("history", "netctl history "+name)
	add("values", "netctl get "+name+" -o yaml")
	return s
}
