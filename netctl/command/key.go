package command

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// key is the key of the object that a person calls name, in whichever form a command prints it: NAME of the tenant that the flag names,
// the whole key TENANT:NAME, NETWORK.TENANT of a network, and each of these behind the kind, as in rule/TENANT:POLICY:RULE.
func (s *scope) key(k *model.Kind, name string) []string {
	if before, after, ok := strings.Cut(name, "/"); ok && after != "" {
		if typed, known := model.KindOf(before); known && typed == k {
			name = after
		}
	}
	if !k.TenantScoped() {
		return []string{name}
	}
	if parts := strings.Split(name, ":"); len(parts) == len(k.Key) && !slices.Contains(parts, "") {
		return parts
	}
	if at := strings.LastIndexByte(name, '.'); k == model.KindNetwork() && at > 0 && at < len(name)-1 {
		return []string{name[at+1:], name[:at]}
	}
	return []string{s.tenant, name}
}

// find is key for an object that is there. Records call groups and services NAME:TENANT, and so do the original's lists: that is
// understood when there is no such TENANT:NAME. When there are both it is an error that says so.
func (s *scope) find(ctx context.Context, c *client.Client, k *model.Kind, name string) ([]string, error) {
	key := s.key(k, name)
	if !strings.Contains(name, ":") || k != model.KindEndpointGroup() && k != model.KindServiceLB() {
		return key, nil
	}
	turned := []string{key[1], key[0]}
	if _, err := c.Get(ctx, k, turned...); err != nil || key[0] == key[1] {
		return key, nil
	}
	if _, err := c.Get(ctx, k, key...); err == nil {
		return nil, term.Exitf(term.Usage, "%s %s is %s of tenant %s, or %s of tenant %s: say which with --tenant", k.Command.Use, name, key[1], key[0], key[0], key[1])
	}
	return turned, nil
}

// keyed demands the arguments that name an object, or one alone that is its key.
func keyed(k *model.Kind) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if n := len(nameArgs(k)); n > 1 && len(args) == 1 && strings.Count(args[0], ":") >= n-1 {
			return nil
		}
		return named(k.Command.Names, len(nameArgs(k)), false)(cmd, args)
	}
}
