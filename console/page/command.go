// SPDX-License-Identifier: Apache-2.0

package page

import (
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
)

// joinWords joins the words of a command line; empty ones are left out.
func joinWords(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, " ")
}

// objectArgs is the words that name an object on a command line of any kind: its kind and its name, with its tenant.
func objectArgs(k *model.Kind, key string) string {
	if !k.TenantScoped() {
		return joinWords(strings.ToLower(k.Name), key)
	}
	tenant, name, _ := identity.Cut(key)
	return joinWords(strings.ToLower(k.Name), "--tenant", tenant, name)
}

// DescribeCommand prints objects of a kind with their operational state.
func DescribeCommand(k *model.Kind, keys ...string) string {
	each := make([]string, len(keys))
	for i, key := range keys {
		each[i] = "netctl describe " + objectArgs(k, key)
	}
	return strings.Join(each, "; ")
}

// removeCommand deletes an object.
func removeCommand(k *model.Kind, key string) string {
	line := []string{"netctl", k.Command.Use, "rm"}
	switch {
	case k.Command.Single || !k.Command.Has("rm"):
		return "netctl delete -f FILE"
	case k.Command.Under != "":
		line = []string{"netctl", k.Command.Under, k.Command.Use + "-rm"}
	}
	parts := k.Parts(key)
	if k.TenantScoped() {
		line, parts = append(line, "--tenant", parts[0]), parts[1:]
	}
	return joinWords(append(line, parts...)...)
}
