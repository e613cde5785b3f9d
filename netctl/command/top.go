// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
)

// top is a command directly below netctl, with its names, which are known before it is created.
type top struct {
	names []string // and its aliases
	make  func() *cobra.Command
}

// tops lists the commands below netctl.
func tops(f *Factory) []top {
	var out []top
	for _, k := range model.UserKinds() {
		if k.Command.Under != "" {
			continue
		}
		build := newObject
		switch {
		case k.Command.Single:
			build = newSingle
		case k.InspectOnly:
			build = newEndpoint
		}
		out = append(out, top{append([]string{k.Command.Use}, k.Aliases()...), func() *cobra.Command { return build(f, k) }})
	}
	for _, t := range []struct {
		name string
		make func(*Factory) *cobra.Command
	}{
		{"version", newVersion}, {"node", newNode}, {"ack", newAck}, {"adopt", newAdopt}, {"leader", newLeader}, {"matrix", newMatrix}, {"flows", newFlows}, {"why", newWhy},
		{"drift", newDrift}, {"support-bundle", newSupportBundle}, {"doctor", newDoctor}, {"status", newStatus}, {"capture", newCapture}, {"find", newFind}, {"observe", newObserve}, {"top", newRates}, {"login", newLogin}, {"get", newGet}, {"describe", newDescribe}, {"apply", newApply},
		{"diff", newDiff}, {"edit", newEdit}, {"label", newLabel}, {"patch", newPatch}, {"undo", newUndo}, {"plugin", newPlugin}, {"delete", newDelete}, {"export", newExport}, {"explain", newExplain}, {"events", newEvents},
		{"history", newHistory}, {"ip", newIP}, {"docknet", newDocknet}, {"logs", newLogs},
		{"logout", newLogout}, {"config", newConfig}, {"auth", newAuth}, {"audit", newAudit},
	} {
		out = append(out, top{[]string{t.name}, func() *cobra.Command { return t.make(f) }})
	}
	return out
}

// chosen returns the name of the command in a command line, after global flags; "" if there is none or a flag is unknown.
func chosen(args []string) string {
	for i := 0; i < len(args); i++ {
		name := strings.TrimLeft(args[i], "-")
		switch {
		case name == args[i]:
			return name
		case name == "netmaster" || name == "bundle" || name == "context":
			i++ // its value
		case name != "insecure" && name != "utc" && name != "no-pager" && !strings.HasPrefix(name, "bundle=") && !strings.HasPrefix(name, "netmaster=") && !strings.HasPrefix(name, "context=") && !strings.HasPrefix(name, "insecure="):
			return ""
		}
	}
	return ""
}
