// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

type diffOptions struct {
	files []string
	pruning
}

func newDiff(f *Factory) *cobra.Command {
	o := &diffOptions{}
	c := &cobra.Command{
		Use: "diff", Short: "Show what apply would change; the exit code is 10 if anything differs", Args: exactly(),
		Long: "Each object that differs is printed on a line, followed by its changed fields: + created, ~ updated, - deleted (with --prune), ! refused,\n" +
			"with the reason. An immutable object has to be deleted and recreated. The exit code is 3 if apply would refuse an object for another\n" +
			"reason.",
		RunE: func(cmd *cobra.Command, _ []string) error { return runDiff(cmd.Context(), f, o) },
	}
	registerFiles(c, &o.files)
	o.pruning.register(c)
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
	c, err := f.client()
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
	different, immutable, refused := 0, 0, 0
	for i := range results {
		r := &results[i]
		if r.Action == model.ActionUnchanged {
			continue
		}
		different++
		if r.Refusal != nil && r.Refusal.Code == model.CodeImmutable {
			immutable++
		} else if r.Refusal != nil {
			refused++
		}
		if err := writeDifference(f, r); err != nil {
			return err
		}
	}
	switch {
	case different == 0:
		return nil
	case refused+immutable > 0:
		fmt.Fprintf(f.Err, "%d of %d objects differ, %d of which apply would refuse\n", different, len(results), refused+immutable)
	default:
		fmt.Fprintf(f.Err, "%d of %d objects differ\n", different, len(results))
	}
	if refused > 0 {
		return term.Outcome(term.Server)
	}
	return term.Outcome(term.Differs)
}

// writeDifference prints a differing object with its differing fields.
func writeDifference(f *Factory, r *model.ApplyResult) error {
	sign := map[model.Action]string{model.ActionCreated: "+", model.ActionUpdated: "~", model.ActionDeleted: "-", model.ActionRefused: "!"}[r.Action]
	if err := printf(f.Out, "%s %s %s%s\n", sign, r.Kind, r.Key, affects(r.Affected)); err != nil {
		return err
	}
	for _, change := range r.Changes {
		if err := printf(f.Out, "    %s: %s -> %s\n", change.Field, shown(change.Old), shown(change.New)); err != nil {
			return err
		}
	}
	if r.Refusal != nil {
		return printf(f.Out, "    %s\n", r.Refusal.Error())
	}
	return nil
}
