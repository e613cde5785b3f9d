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

type diffOptions struct {
	files []string
	pruning
	output
	from, to string
}

func newDiff(f *Factory) *cobra.Command {
	o := &diffOptions{}
	c := &cobra.Command{
		Use: "diff [KIND [NAME]]", Short: "Show what apply would change, or what has changed; the exit code is 10 if anything differs",
		Long: "With -f, the files are compared with the stored objects. With --from, the objects of two moments are compared: all, those of a kind, or one.\n" +
			"Without --to, the second moment is now.\n\n" +
			"Each object that differs is printed on a line, followed by its changed fields: + created, ~ updated, - deleted (with --prune), ! refused,\n" +
			"with the reason. An immutable object has to be deleted and recreated. The exit code is 3 if apply would refuse an object for another\n" +
			"reason.",
		Example:           "  netctl diff -f shop.yaml\n  netctl diff network --from 2h\n  netctl diff --from 1200 --to 1250",
		ValidArgsFunction: completeKindAndName(f),
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case o.from == "" && o.to != "":
				return term.BadUsage("--to requires --from")
			case o.from != "" && len(o.files) > 0:
				return term.BadUsage("--from and --filename exclude each other: remove one")
			case o.from == "" && len(args) > 0:
				return term.BadUsage("%s requires --from", strings.Join(args, " "))
			case len(kindAndName(args)) > 2:
				return term.BadUsage("expected [KIND [NAME]], got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.from != "" {
				return runDiffMoments(cmd.Context(), f, o, kindAndName(args))
			}
			return runDiff(cmd.Context(), f, o)
		},
	}
	registerFiles(c, &o.files)
	c.Flags().StringVar(&o.from, "from", "", "compare the objects of this moment: "+momentUsage)
	c.Flags().StringVar(&o.to, "to", "", "with --from: the second moment (default: now)")
	o.pruning.register(c)
	o.registerOutput(c, "table")
	return c
}

func runDiff(ctx context.Context, f *Factory, o *diffOptions) error {
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
	gone, err := o.gone(ctx, c, objects)
	if err != nil {
		return err
	}
	// with DryRun, because a netmaster that does not know Diff must change nothing
	results, _, err := c.Apply(ctx, model.ApplyRequest{Objects: objects, Prune: gone, DryRun: true, Diff: true, Selector: o.selector.text})
	if err != nil {
		return err
	}
	different, immutable, refused := []model.ApplyResult{}, 0, 0
	for i := range results {
		r := &results[i]
		if r.Action == model.ActionUnchanged {
			continue
		}
		different = append(different, *r)
		if r.Refusal != nil && r.Refusal.Code == model.CodeImmutable {
			immutable++
		} else if r.Refusal != nil {
			refused++
		}
	}
	if err := f.differences(format, changedObjects(different, false, 0)); err != nil {
		return err
	}
	switch {
	case len(different) == 0:
		return nil
	case refused+immutable > 0:
		fmt.Fprintf(f.Err, "%d of %d objects differ, %d of which apply would refuse\n", len(different), len(results), refused+immutable)
	default:
		fmt.Fprintf(f.Err, "%d of %d objects differ\n", len(different), len(results))
	}
	if refused > 0 {
		return term.Outcome(term.Server)
	}
	return term.Outcome(term.Differs)
}

// differences prints objects that differ, for people with their differing fields.
func (f *Factory) differences(format term.Format, list []changedObject) error {
	return f.changed(format, list, (*changedObject).difference)
}

// difference is the text of an object that differs, with its differing fields.
func (c *changedObject) difference() string {
	sign := map[model.Action]string{model.ActionCreated: "+", model.ActionUpdated: "~", model.ActionDeleted: "-", model.ActionRefused: "!"}[c.Action]
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s%s\n", sign, c.Kind, c.Key, affects(c.Affected))
	for _, x := range c.Changes {
		fmt.Fprintf(&b, "    %s: %s -> %s\n", x.Field, shown(x.Old), shown(x.New))
	}
	if c.Refusal != nil {
		fmt.Fprintf(&b, "    %s\n", c.Refusal.Error())
	}
	return b.String()
}
