// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netctl/term"
)

// fullName returns an object's name as -o name prints it, and as other commands accept it: network/TENANT:NAME.
func fullName(k *model.Kind, key string) string { return k.Command.Use + "/" + key }

// scope is the tenant flag of commands on objects of a tenant, and the namespace flag of those on objects of Kubernetes.
type scope struct {
	tenant    string
	flag      *pflag.Flag
	namespace string
}

func (s *scope) register(c *cobra.Command, k *model.Kind) {
	if k.TenantScoped() {
		s.registerAs(c, "tenant of the "+k.Command.Use)
	}
	if k.Namespaced() {
		s.registerNamespace(c, "namespace of the "+k.Command.Use+", if the name has none (default \"default\")")
	}
}

func (s *scope) registerNamespace(c *cobra.Command, usage string) {
	c.Flags().StringVarP(&s.namespace, "namespace", "n", "", usage)
}

func (s *scope) registerAs(c *cobra.Command, usage string) {
	c.Flags().StringVarP(&s.tenant, "tenant", "t", "default", usage)
	s.flag = c.Flags().Lookup("tenant")
}

// key returns the key of the object that a user or another command calls name, as far as the text determines it: NAME, of the tenant in the
// flag; TENANT:NAME; NETWORK.TENANT for a network; and each of these after its kind, network/TENANT:NAME. The name of a rule is
// POLICY:RULE. An object in a namespace of Kubernetes is NAMESPACE/NAME, NAMESPACE:NAME, or NAME.
func (s *scope) key(k *model.Kind, name string) ([]string, error) {
	if k.Namespaced() {
		return s.namespaced(k, name)
	}
	if ref, ok := identity.ParseRef(name); ok {
		other, known := model.KindOf(ref.Kind)
		switch {
		case known && other.Name == k.Name:
			name = ref.Name
		case known:
			return nil, term.BadUsage("%s is %s, not %s", name, article(other.Noun()), article(k.Noun()))
		case k.InspectOnly: // a pod, as other commands print it
			name = model.Key(ref.Kind, ref.Name)
		default:
			return nil, term.BadUsage("%s: the name of %s cannot contain /, and %q is not a kind", name, article(k.Noun()), ref.Kind)
		}
	}
	if !k.TenantScoped() {
		return []string{name}, nil
	}
	if parts := identity.Parts(name, -1); len(parts) == len(k.Key) && !slices.Contains(parts, "") {
		if s.flag != nil && s.flag.Changed && s.tenant != parts[0] {
			return nil, term.BadUsage("%s is of tenant %s, which contradicts --tenant %s: remove one", name, parts[0], s.tenant)
		}
		return parts, nil
	}
	return []string{s.tenant, name}, nil
}

// namespaced is key for an object in a namespace of Kubernetes.
func (s *scope) namespaced(k *model.Kind, name string) ([]string, error) {
	if ref, ok := identity.ParseRef(name); ok {
		if other, known := model.KindOf(ref.Kind); known && other == k {
			name = ref.Name
		}
	}
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == ':' })
	switch {
	case len(parts) == 1:
		return []string{cmp.Or(s.namespace, "default"), parts[0]}, nil
	case len(parts) != 2:
		return nil, term.BadUsage("got %q, want NAMESPACE/NAME of %s", name, article(k.Noun()))
	case s.namespace != "" && s.namespace != parts[0]:
		return nil, term.BadUsage("%s is of namespace %s, which contradicts --namespace %s: remove one", name, parts[0], s.namespace)
	}
	return parts, nil
}

// find is key for an existing object. Records call networks NAME.TENANT, and groups and services NAME:TENANT; so do the original's lists.
// find accepts that form if nothing has the literal name. If both exist, it returns an error. It asks netmaster if the name is ambiguous.
func (s *scope) find(ctx context.Context, c *client.Client, k *model.Kind, name string) ([]string, error) {
	key, err := s.key(k, name)
	if err != nil {
		return nil, err
	}
	turned := asRecorded(k, key, name)
	if turned == nil || s.flag != nil && s.flag.Changed {
		return key, nil
	}
	if _, err := c.Get(ctx, k, turned...); err != nil {
		return key, nil
	}
	if _, err := c.Get(ctx, k, key...); err == nil {
		return nil, term.Exitf(term.Usage, "%s %s is ambiguous: %s of tenant %s, or %s of tenant %s; select one with --tenant", k.Command.Use, name, key[1], key[0], turned[1], turned[0])
	}
	return turned, nil
}

// asRecorded returns the key in a name in the form of records, nil for another form.
func asRecorded(k *model.Kind, key []string, name string) []string {
	switch k {
	case model.KindEndpointGroup(), model.KindServiceLB():
		if strings.Contains(name, ":") && key[0] != key[1] {
			return []string{key[1], key[0]}
		}
	case model.KindNetwork():
		if at := strings.LastIndexByte(key[1], '.'); at > 0 && at < len(key[1])-1 && !strings.Contains(name, ":") {
			return []string{key[1][at+1:], key[1][:at]}
		}
	}
	return nil
}

// objectArgs requires the arguments that name an object: the parts of its key without the tenant, or the whole key in one argument.
func objectArgs(k *model.Kind) cobra.PositionalArgs {
	apart := named(k.Command.Names, len(nameArgs(k)), false)
	return func(c *cobra.Command, args []string) error {
		if len(args) == 1 && (k.Namespaced() || strings.Count(args[0], ":") == len(k.Key)-1) {
			return nil
		}
		return apart(c, args)
	}
}

// kindAndName returns the arguments KIND NAME, also from KIND/NAME in one argument, which other commands print.
func kindAndName(args []string) []string {
	if len(args) != 1 {
		return args
	}
	if ref, ok := identity.ParseRef(args[0]); ok && ref.Name != "" {
		if _, known := model.KindOf(ref.Kind); known {
			return []string{ref.Kind, ref.Name}
		}
	}
	return args
}
