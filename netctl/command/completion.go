// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
)

// word is the word of a command line that is completed.
type word struct {
	cmd   *cobra.Command
	typed string // the begin of the word
}

// values returns the values that complete a word. They may include some that do not begin with what was typed.
type values func(ctx context.Context, f *Factory, w word) []string

// flagValues is the registry of the values of flags, by their names. Flags of fileFlags take files, and all others nothing to complete.
func flagValues() map[string]values {
	return map[string]values{
		"tenant": namesOf(model.KindTenant()), "network": namesOf(model.KindNetwork()), "group": namesOf(model.KindEndpointGroup()),
		"namespace": namesOf(model.KindKubeNamespace()), "service": namesOf(model.KindServiceLB()), "user": namesOf(model.KindUser()),
		"host": hostNames, "to": endNames, "from": endNames, "kind": fixed(append(kindNames(), kindFinding)...), "rule": keysOf(model.KindRule()),
		"from-group": namesOf(model.KindEndpointGroup()), "to-group": namesOf(model.KindEndpointGroup()), "policy": namesOf(model.KindPolicy()),
		"from-network": namesOf(model.KindNetwork()), "to-network": namesOf(model.KindNetwork()), "networkprofile": namesOf(model.KindNetprofile()),
		"external-contract": namesOf(model.KindExtContractsGroup()), "direction": fixed("in", "out"), "action": fixed("allow", "deny"),
		"protocol": fixed("tcp", "udp", "icmp"), "encap": fixed("vlan", "vxlan"), "nw-type": fixed("data", "infra"), "dry-run": fixed("server"),
		"wait": fixed("10s", "30s", "1m"), "since": fixed("10m", "1h", "1d", "today", "yesterday"), "at": fixed("10m", "1h", "1d", "yesterday"),
		"for": fixed("30m", "2h", "24h"), "sort-by": columnNames, "verb": fixed("login", "refused", "capture", "repair", "hand-over"),
	}
}

// fileFlags are the flags whose values are files.
func fileFlags() []string {
	return []string{"filename", "patch-file", "bundle", "ca", "certificate", "key", "write"}
}

// fixed are constant values.
func fixed(list ...string) values {
	return func(context.Context, *Factory, word) []string { return list }
}

// namesOf are the names of the objects of a kind, in the tenant of the command.
func namesOf(k *model.Kind) values {
	return func(ctx context.Context, f *Factory, w word) (out []string) {
		tenant := "default"
		if flag := w.cmd.Flags().Lookup("tenant"); flag != nil && flag.Value.String() != "" {
			tenant = flag.Value.String()
		}
		for _, o := range listed(ctx, f, k) {
			if !k.TenantScoped() || k.Key[0] != "tenantName" || k == model.KindTenant() || o.Field("tenantName") == tenant {
				parts := k.Parts(o.ObjectKey())
				if k.TenantScoped() {
					parts = parts[1:]
				}
				out = append(out, model.Key(parts...))
			}
		}
		return out
	}
}

// keysOf are the whole keys of the objects of a kind.
func keysOf(k *model.Kind) values {
	return func(ctx context.Context, f *Factory, _ word) (out []string) {
		for _, o := range listed(ctx, f, k) {
			out = append(out, o.ObjectKey())
		}
		return out
	}
}

// listed are the objects of a kind; none if netmaster does not answer.
func listed(ctx context.Context, f *Factory, k *model.Kind) []model.Object {
	c, err := f.client()
	if err != nil {
		return nil
	}
	list, err := c.List(ctx, k)
	if err != nil {
		return nil
	}
	return list
}

// hostNames are the labels of the hosts.
func hostNames(ctx context.Context, f *Factory, _ word) (out []string) {
	return nodeNames(ctx, f, func(n *model.Node) bool { return n.Role == model.RoleAgent })
}

// masterNames are the addresses of the netmasters.
func masterNames(ctx context.Context, f *Factory, _ word) (out []string) {
	return nodeNames(ctx, f, func(n *model.Node) bool { return n.Role != model.RoleAgent })
}

// allNodes are the names of masters and agents.
func allNodes(ctx context.Context, f *Factory, _ word) (out []string) {
	return nodeNames(ctx, f, func(*model.Node) bool { return true })
}

func nodeNames(ctx context.Context, f *Factory, wanted func(*model.Node) bool) (out []string) {
	c, err := f.client()
	if err != nil {
		return nil
	}
	nodes, err := c.Nodes(ctx)
	for i := range nodes {
		if err == nil && wanted(&nodes[i]) {
			out = append(out, nodes[i].Name)
		}
	}
	return out
}

// endNames are the ends of packets: endpoints by the names of their containers, groups, services and hosts.
func endNames(ctx context.Context, f *Factory, w word) (out []string) {
	for _, e := range endpointsListed(ctx, f) {
		name := e.EndpointID
		if e.ContainerName != "" {
			name = e.ContainerName
		}
		out = append(out, name)
	}
	for _, name := range namesOf(model.KindEndpointGroup())(ctx, f, w) {
		out = append(out, "group/"+name)
	}
	for _, name := range keysOf(model.KindServiceLB())(ctx, f, w) {
		if tenant, service, ok := identity.Cut(name); ok {
			out = append(out, "service/"+tenant+"/"+service)
		}
	}
	for _, name := range hostNames(ctx, f, w) {
		out = append(out, "host/"+name)
	}
	return out
}

// maxCompleted bounds the endpoints that a completion offers.
const maxCompleted = 500

func endpointsListed(ctx context.Context, f *Factory) []*model.EndpointOper {
	c, err := f.client()
	if err != nil {
		return nil
	}
	for page, err := range c.Endpoints().Pages(ctx, client.Limit(maxCompleted)) {
		if err == nil {
			return page
		}
	}
	return nil
}

// columnNames are the columns of the kind that a command lists.
func columnNames(_ context.Context, _ *Factory, w word) (out []string) {
	k, ok := model.KindOf(w.cmd.Parent().Name())
	if args := w.cmd.Flags().Args(); w.cmd.Name() == "get" && len(args) > 0 {
		k, ok = model.KindOf(args[0])
	}
	if !ok {
		return nil
	}
	for _, c := range k.SummarizedColumns() {
		out = append(out, strings.ReplaceAll(strings.TrimSpace(c.Header), " ", "-"))
	}
	return out
}

// argumentValues is the registry of the arguments of special commands, by their paths below netctl.
func argumentValues() map[string][]values {
	codes := func(context.Context, *Factory, word) (out []string) {
		for _, c := range model.FindingCodes() {
			out = append(out, c.Code.String())
		}
		return out
	}
	return map[string][]values{
		"flows": {hostNames}, "drift": {hostNames}, "node forget": {hostNames}, "node uplinks": {hostNames}, "doctor": {endNames},
		"why": {endNames, endNames, fixed("tcp", "udp", "icmp")}, "capture": {endNames, endNames}, "matrix": {namesOf(model.KindEndpointGroup()), namesOf(model.KindEndpointGroup())},
		"ack": {codes}, "ack rm": {codes}, "ip show": {namesOf(model.KindNetwork())}, "undo": {revisions}, "find": {foundNames}, "auth password": {namesOf(model.KindUser())},
		"auth token": {namesOf(model.KindUser())}, "auth tokens": {namesOf(model.KindUser())},
		"auth can-i": {fixed("read", "change", "capture", "repair", "hand-over", "relay", "bundle", "manage"), fixed(kindNames()...)},
	}
}

// prefixed puts a prefix before names.
func prefixed(prefix string, names []string) (out []string) {
	for _, name := range names {
		out = append(out, prefix+name)
	}
	return out
}

// revisions are those of the last changes.
func revisions(ctx context.Context, f *Factory, _ word) (out []string) {
	c, err := f.client()
	if err != nil {
		return nil
	}
	entries, err := c.History(ctx, client.HistoryQuery{Limit: 20})
	for i := range entries {
		if text := fmt.Sprint(entries[i].Revision); err == nil && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// completeAll gives each flag and argument below a command that has no completion of its own the values of the registry. Words that nothing
// completes do not fall back to the names of files.
func completeAll(f *Factory, c *cobra.Command) {
	known, files := flagValues(), fileFlags()
	complete := func(flag *pflag.Flag) {
		if _, own := c.GetFlagCompletionFunc(flag.Name); own || flag.Value.Type() == "bool" || slices.Contains(files, flag.Name) || c.Name() == "support-bundle" {
			return
		}
		from := known[flag.Name]
		if c.Name() == "handover" {
			from = masterNames
		}
		_ = c.RegisterFlagCompletionFunc(flag.Name, from.complete(f)) // fails only for an unknown flag
	}
	c.LocalFlags().VisitAll(complete)
	if c.ValidArgsFunction == nil && len(c.ValidArgs) == 0 && !c.HasSubCommands() {
		c.ValidArgsFunction = argumentsOf(f, strings.TrimPrefix(c.CommandPath(), "netctl "))
	}
	for _, sub := range c.Commands() {
		completeAll(f, sub)
	}
}

// complete is the function of cobra for values; nil has none.
func (v values) complete(f *Factory) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		if v == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return v(cmd.Context(), f, word{cmd, typed}), cobra.ShellCompDirectiveNoFileComp
	}
}

func argumentsOf(f *Factory, path string) cobra.CompletionFunc {
	list := argumentValues()[path]
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= len(list) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return list[len(args)].complete(f)(cmd, args, typed)
	}
}

// completeKind completes KIND NAME..., KIND,KIND and KIND/NAME.
func completeKindAndName(f *Factory) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		ctx, w := cmd.Context(), word{cmd, typed}
		if ref, ok := identity.ParseRef(typed); ok {
			if isNodes(ref.Kind) {
				return prefixed(ref.Kind+"/", allNodes(ctx, f, w)), cobra.ShellCompDirectiveNoFileComp
			}
			if cmd.Name() == "get" && isDocknets(ref.Kind) {
				return prefixed(ref.Kind+"/", docknetIDs(ctx, f)), cobra.ShellCompDirectiveNoFileComp
			}
			k, known := model.KindOf(ref.Kind)
			if !known {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			if k.InspectOnly {
				var keys []string
				for _, e := range endpointsListed(ctx, f) {
					keys = append(keys, e.Key)
				}
				return prefixed(ref.Kind+"/", keys), cobra.ShellCompDirectiveNoFileComp
			}
			return prefixed(ref.Kind+"/", keysOf(k)(ctx, f, w)), cobra.ShellCompDirectiveNoFileComp
		}
		if len(args) == 0 {
			before := typed[:strings.LastIndexByte(typed, ',')+1]
			var out []string
			for _, name := range append(kindNames(), "nodes") {
				out = append(out, before+name)
			}
			if cmd.Name() == "get" {
				out = append(out, before+"docknets")
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		}
		if isNodes(args[0]) {
			return allNodes(ctx, f, w), cobra.ShellCompDirectiveNoFileComp
		}
		if cmd.Name() == "get" && isDocknets(args[0]) {
			return docknetIDs(ctx, f), cobra.ShellCompDirectiveNoFileComp
		}
		k, known := model.KindOf(args[0])
		if !known {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if k.InspectOnly {
			var out []string
			for _, e := range endpointsListed(ctx, f) {
				out = append(out, e.EndpointID)
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		}
		return namesOf(k)(ctx, f, w), cobra.ShellCompDirectiveNoFileComp
	}
}
