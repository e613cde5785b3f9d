// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// applyOptions are those of apply and delete.
type applyOptions struct {
	files []string
	pruning
	writing
}

func registerFiles(c *cobra.Command, files *[]string) {
	c.Flags().StringArrayVarP(files, "filename", "f", nil, "file, directory or - (standard input) with objects in YAML or JSON; repeatable")
}

func newApply(f *Factory) *cobra.Command {
	o := &applyOptions{}
	c := &cobra.Command{
		Use: "apply", Short: "Create or update the objects of files, in one transaction", Args: exactly(),
		Long: "The server orders the objects by their references and applies all of them or none, as far as one store transaction holds them (about\n" +
			"60 objects). More objects are sent in portions, in order of their references, and each portion is applied as a whole or not at all. If a\n" +
			"portion is refused, earlier portions stay applied: the objects of the refused portion and of later ones are reported as \"not applied\",\n" +
			"and the exit code is 3. Repeating the command is safe.\n" +
			"An object has its fields and a field \"kind\". netctl export prints such files, and netctl explain KIND describes the fields.\n\n" +
			"With --prune, the objects with the labels of --selector, those of --tenant, or those of the tenant with the labels, that are not in the\n" +
			"files are deleted after the files are applied, if possible in the same transaction. All objects of the files must have the labels. A dry\n" +
			"run comes first. If objects would be deleted, they are listed, and nothing changes without --yes.",
		Example: "  netctl apply -f network.yaml --wait\n  netctl apply -f shop/ --prune -l app=shop --yes",
		RunE:    func(cmd *cobra.Command, _ []string) error { return runApply(cmd.Context(), f, o) },
	}
	registerFiles(c, &o.files)
	o.pruning.register(c)
	c.Flags().BoolVar(&o.yes, "yes", false, "with --prune: delete without listing the objects first")
	o.writing.register(c)
	return c
}

func runApply(ctx context.Context, f *Factory, o *applyOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	objects, err := readManifests(f, o.files)
	if err != nil {
		return err
	}
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	ctx, end := f.interruptible(ctx)
	defer end()
	gone, err := o.gone(ctx, c, objects)
	if err != nil {
		return err
	}
	if len(gone) > 0 && !o.dryRun.on() {
		tried := &portions{c: c, dry: true, selector: o.selector.text}
		if err := tried.send(ctx, objects, gone); err != nil {
			return err
		}
		if !o.yes {
			if err := tried.report(f, format); err != nil {
				return err
			}
			return term.Exitf(term.Differs, "nothing was changed: %d objects that are not in the files would be deleted; use --yes to delete them", len(gone))
		}
	}
	return o.carryOut(ctx, f, format, &portions{c: c, dry: o.dryRun.on(), selector: o.selector.text}, objects, gone)
}

// carryOut applies objects, deletes those of gone, and reports the results.
func (o *applyOptions) carryOut(ctx context.Context, f *Factory, format term.Format, p *portions, objects, gone []model.ApplyObject) error {
	err := p.send(ctx, objects, gone)
	if err := p.report(f, format); err != nil {
		return err
	}
	if err != nil {
		return p.incomplete(err)
	}
	return o.await(ctx, f, p.c, p.rev)
}

// affects is a note of the objects that a change concerns.
func affects(a *model.Affected) string {
	if a == nil {
		return ""
	}
	return " (affects " + a.String() + ")"
}

func shown(v any) string {
	if labels, ok := v.(map[string]any); ok {
		return "[" + labelsText(labels) + "]"
	}
	list, ok := v.([]any)
	if !ok {
		if v == nil || v == "" {
			return `""`
		}
		return fmt.Sprint(v)
	}
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = fmt.Sprint(w)
	}
	return "[" + strings.Join(words, ", ") + "]"
}
