// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
)

// helpExamples are the command lines in the help of commands that have none of their own, by their paths below netctl.
func helpExamples() map[string]string {
	return map[string]string{
		"network create": "network create front -t shop -s 10.7.0.0/24 -g 10.7.0.254", "group create": "group create -t shop front web -p web-in",
		"policy create": "policy create -t shop web-in", "policy rule-add": "policy rule-add -t shop web-in 1 --direction in --protocol tcp --port 80 --action allow",
		"policy rule-rm": "policy rule-rm -t shop web-in 1", "policy rule-inspect": "policy rule-inspect -t shop web-in 1", "policy rule-ls": "policy rule-ls -t shop web-in",
		"tenant create": "tenant create shop", "tenant rm": "tenant rm shop --cascade", "netprofile create": "netprofile create -t shop gold -b 20mbps",
		"service create":     "service create -t shop cart -s front -l tier=web -p 80:8080:TCP",
		"app-profile create": "app-profile create -t shop cart -g web", "app-profile update": "app-profile update -t shop cart -g web,db", "app-profile group-ls": "app-profile group-ls -t shop cart",
		"external-contracts create": "external-contracts create -t shop theirs -c -a uni/tn-common/brc-dns", "bgp create": "bgp create h1 --router-ip 50.1.1.2/24 --as 65001 --neighbor-as 65000 --neighbor 50.1.1.1",
		"volume create": "volume create -t shop data", "volumeprofile create": "volumeprofile create -t shop fast",
		"version": "version -o json", "node ls": "node ls -o wide", "node uplinks": "node uplinks h1", "node forget": "node forget h1 --dry-run",
		"ack ls": "ack ls", "ack rm": "ack rm uplink-down uplink/h1:eth2", "adopt ls": "adopt ls", "adopt accept": "adopt accept shop:front:web1", "adopt drop": "adopt drop shop:front:web1",
		"leader": "leader", "leader peers": "leader peers", "leader handover": "leader handover --to 192.0.2.2:9999", "matrix": "matrix web db -t shop", "flows": "flows h1 --owner group/shop:web",
		"why": "why web1 db1 tcp 5432", "find": "find 10.7.0.5", "drift": "drift h1 --repair", "support-bundle": "support-bundle -o case-4711.tar.gz", "doctor": "doctor h1", "status": "status --all",
		"capture": "capture web1 db1 -w web-db.pcapng", "observe": "observe -f --denied -t shop", "top": "top groups -t shop", "login": "login --user ann",
		"describe": "describe network/shop:front", "export": "export -t shop", "explain": "explain rule.port", "events": "events -f --kind network,finding",
		"history": "history group web -t shop --since 1d", "ip show": "ip show front -t shop", "ip history": "ip history 10.7.0.5", "ip who": "ip who 10.7.0.5 --at yesterday",
		"ip quarantine": "ip quarantine 10.7.0.9 -t shop -n front --for 2h --reason printer", "ip release": "ip release 10.7.0.9 -t shop -n front",
		"docknet ls": "docknet ls --host h1", "docknet inspect": "docknet inspect 0a1b2c", "docknet rm": "docknet rm 0a1b2c", "logout": "logout",
		"config view": "config view", "config get-contexts": "config get-contexts", "config current-context": "config current-context", "config use-context": "config use-context prod",
		"config set-context": "config set-context prod --server https://192.0.2.1:9999 --ca ca.crt", "config delete-context": "config delete-context prod",
		"config get-aliases": "config get-aliases", "config delete-alias": "config delete-alias web", "plugin ls": "plugin ls",
		"auth whoami": "auth whoami", "auth password": "auth password ann", "auth ldap-password": "auth ldap-password --password-stdin", "auth oidc-secret": "auth oidc-secret --secret-stdin",
		"auth tokens": "auth tokens ann", "auth token": "auth token ci --label pipeline --for 720h", "auth revoke": "auth revoke 4f1c", "audit": "audit --since 1d --verb refused",
		"diff": "diff -f shop.yaml", "delete": "delete network front -t shop --dry-run", "edit": "edit rule shop:web-in:1", "global set": "global set --vlan-range 1-800",
		"endpoint inspect": "endpoint inspect web1", "user create": "user create ann --first-name Ann", "authorization create": "authorization create ann --role viewer",
	}
}

// addExamples gives each command without an example one: its own, or that of its kind.
func addExamples(c *cobra.Command) {
	own := helpExamples()
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		path := strings.TrimPrefix(c.CommandPath(), "netctl ")
		if line := own[path]; line != "" && c.Example == "" {
			c.Example = "  netctl " + line
		} else if line := kindExample(c, path); line != "" && c.Example == "" {
			c.Example = "  netctl " + line
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(c)
}

// kindExample is an example of a command of a kind.
func kindExample(c *cobra.Command, path string) string {
	if !c.HasParent() || c.Parent() == c.Root() {
		return ""
	}
	k, ok := model.KindOf(c.Parent().Name())
	if !ok {
		return ""
	}
	var names []string
	for _, name := range nameArgs(k) {
		if name == "host" || name == "hostname" {
			name = "h1"
		}
		names = append(names, strings.ToUpper(strings.TrimSuffix(name, "Name")))
	}
	switch c.Name() {
	case "ls":
		return path + " -o wide"
	case "info", "set":
		return path
	case "inspect":
		if k.Command.Single {
			return path
		}
		return path + " " + strings.Join(names, " ")
	case "rm", "create":
		return path + " " + strings.Join(names, " ")
	}
	return ""
}

// groups are the groups of commands in the help, in their order, with the commands of each.
func groups() [][2]string {
	return [][2]string{
		{"Look at the cluster", "status doctor get describe explain events history top observe logs find"},
		{"Trace packets", "why matrix capture flows drift"},
		{"Change objects", "apply diff edit patch label delete undo export"},
		{"Hosts and addresses", "node ip adopt docknet leader ack"},
		{"Users and access", "login logout auth audit"},
		{"This program", "config plugin completion help version support-bundle"},
	}
}

// kindsGroup is the group of the commands of kinds.
const kindsGroup = "Kinds of objects"

// heading is the line above a group of commands.
func heading(group string) string { return fmt.Sprintf("%s:", group) }

// sortIntoGroups sorts the commands below root into groups.
func sortIntoGroups(root *cobra.Command) {
	of := map[string]string{}
	for _, g := range groups() {
		root.AddGroup(&cobra.Group{ID: g[0], Title: heading(g[0])})
		for _, name := range strings.Fields(g[1]) {
			of[name] = g[0]
		}
	}
	root.AddGroup(&cobra.Group{ID: kindsGroup, Title: heading(kindsGroup)})
	for _, c := range root.Commands() {
		if c.GroupID = of[c.Name()]; c.GroupID == "" {
			c.GroupID = kindsGroup
		}
	}
	root.SetHelpCommandGroupID("This program")
	root.SetCompletionCommandGroupID("This program")
}
