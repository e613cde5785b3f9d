// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// labelOptions are those of label.
type labelOptions struct {
	scope
	targets
	overwrite bool
	writing
}

func newLabel(f *Factory) *cobra.Command {
	o := &labelOptions{}
	c := &cobra.Command{
		Use: "label KIND NAME... | KIND/NAME | KIND -l SELECTOR, KEY=VALUE... KEY-...", Short: "Add, change or remove labels of objects",
		Long: "KEY=VALUE adds a label, and KEY- removes it. A label with another value is replaced only with --overwrite. Keys and values are as in\n" +
			"Kubernetes; an object has at most 32 labels. Only labels change, so the command also works for objects whose fields are immutable, and no\n" +
			"flow of a switch changes. netctl get KIND --show-labels shows labels, and -l selects by them.",
		Example:           "  netctl label network front team=shop\n  netctl label rule -t shop --all app=shop\n  netctl label group -l app=shop app- app.example.com/name=shop",
		ValidArgsFunction: completeKindAndName(f),
		Args: func(cmd *cobra.Command, args []string) error {
			names, _, err := labelArgs(args)
			if err != nil {
				return err
			}
			return o.checkNames(names)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			names, request, err := labelArgs(args)
			if err != nil {
				return err
			}
			if err := o.dryRun.check(); err != nil {
				return err
			}
			request.Overwrite, request.DryRun = o.overwrite, o.dryRun.on()
			return runLabel(cmd.Context(), f, o, names, request)
		},
	}
	o.targets.register(c)
	c.Flags().BoolVar(&o.all, "all", false, "all objects of the kind, in the tenant")
	c.Flags().BoolVar(&o.overwrite, "overwrite", false, "replace the values of labels that exist")
	o.writing.register(c)
	o.registerAs(c, "tenant of the objects")
	return c
}

// labelArgs returns the arguments of label before the first change of a label, and the changes.
func labelArgs(args []string) (names []string, request model.LabelRequest, err error) {
	request.Set = map[string]string{}
	for _, arg := range args {
		key, value, sets := strings.Cut(arg, "=")
		name, removes := strings.CutSuffix(arg, "-")
		switch {
		case sets:
			if was, twice := request.Set[key]; twice && was != value {
				return nil, request, term.BadUsage("label %s: got two values, %s and %s: remove one", key, was, value)
			}
			request.Set[key] = value
		case removes:
			request.Remove = append(request.Remove, name)
		case len(request.Set)+len(request.Remove) > 0:
			return nil, request, term.BadUsage("got %q after a label, want KEY=VALUE or KEY-: put names before labels", arg)
		default:
			names = append(names, arg)
		}
	}
	for _, key := range request.Remove {
		if _, both := request.Set[key]; both {
			return nil, request, term.BadUsage("label %s is both set and removed: remove one", key)
		}
	}
	if len(request.Set)+len(request.Remove) == 0 {
		return nil, request, term.BadUsage("at least one KEY=VALUE or KEY- is required")
	}
	return kindAndName(names), request, nil
}

func runLabel(ctx context.Context, f *Factory, o *labelOptions, names []string, request model.LabelRequest) error {
	k, err := changeableKind(names[0])
	if err != nil {
		return err
	}
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	objects, err := o.targets.find(ctx, c, &o.scope, k, names[1:])
	if err != nil {
		return err
	}
	if len(objects) == 0 {
		fmt.Fprintf(f.Err, "no %s selected\n", k.Nouns())
		return nil
	}
	ctx, end := f.interruptible(ctx)
	defer end()
	done := &portions{dry: request.DryRun}
	for size := len(objects); len(objects) > 0; {
		n := min(size, len(objects))
		request.Objects = objects[:n]
		results, rev, err := c.Label(ctx, request)
		if n > 1 && client.IsCode(err, model.CodeTooLarge) { // more than one transaction holds
			size = n / 2
			continue
		}
		if err != nil {
			return errors.Join(done.report(f, format), err)
		}
		done.results, done.rev = append(done.results, results...), max(done.rev, rev)
		objects = objects[n:]
	}
	if err := done.report(f, format); err != nil {
		return err
	}
	return o.await(ctx, f, c, done.rev)
}

// targets are the objects of one kind that a command changes: those that it names, those that a selector matches, or all.
type targets struct {
	selector selectorFlag
	all      bool
	missing  bool // those that are named may not exist
}

func (t *targets) register(c *cobra.Command) {
	t.selector.register(c, `instead of names: the objects with these labels, as in "app=web,tier in (front,back)"`)
}

// checkNames checks the arguments KIND NAME... against the flags.
func (t *targets) checkNames(names []string) error {
	selected := t.selector.given() || t.all
	switch {
	case t.selector.given() && t.all:
		return term.BadUsage("--selector and --all exclude each other: remove one")
	case len(names) == 0:
		return term.BadUsage("KIND is required")
	case len(names) == 1 && !selected:
		return term.BadUsage("expected KIND NAME or KIND -l SELECTOR, got only %s", names[0])
	case len(names) > 1 && selected:
		return term.BadUsage("names and --selector or --all exclude each other: remove %s", names[1])
	}
	return t.selector.check()
}

// find returns the keys of the objects. Those of names may not exist.
func (t *targets) find(ctx context.Context, c *client.Client, s *scope, k *model.Kind, names []string) (out []model.ApplyObject, _ error) {
	for _, name := range names {
		of, err := s.find(ctx, c, k, name)
		if err != nil {
			return nil, err
		}
		out = append(out, keyed(k, of))
	}
	if len(names) > 0 {
		return out, nil
	}
	list, err := c.List(ctx, k, client.Labels(t.selector.text))
	if err != nil {
		return nil, err
	}
	for _, object := range list {
		if !k.TenantScoped() || isOf(object, s.tenant) {
			out = append(out, keyOf(object))
		}
	}
	return out, nil
}

// changeableKind finds a kind whose objects users change.
func changeableKind(name string) (*model.Kind, error) {
	k, err := kindOf(name)
	switch {
	case err != nil:
		return nil, err
	case k.Owner != "":
		return nil, k.Owned()
	case k.InspectOnly:
		return nil, term.BadUsage("%s cannot be changed: their containers determine them", k.Nouns())
	}
	return k, nil
}

// labelsText is labels of a decoded answer in the form of selectors.
func labelsText(decoded map[string]any) string {
	words := make([]string, 0, len(decoded))
	for _, key := range slices.Sorted(maps.Keys(decoded)) {
		words = append(words, key+"="+fmt.Sprint(decoded[key]))
	}
	return strings.Join(words, ",")
}
