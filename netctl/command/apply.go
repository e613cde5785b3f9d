package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// applyOptions are those of apply, diff and delete.
type applyOptions struct {
	files  []string
	dryRun string
	remove bool
	waiting
}

func (o *applyOptions) register(c *cobra.Command) {
	c.Flags().StringArrayVarP(&o.files, "filename", "f", nil, "file, folder or - with objects in YAML or JSON; may be repeated")
}

// read reads the files, and makes the client that their objects are sent with.
func (o *applyOptions) read(f *Factory) ([]model.ApplyObject, *client.Client, error) {
	objects, err := readManifests(f, o.files)
	if err != nil {
		return nil, nil, err
	}
	c, err := f.client()
	return objects, c, err
}

func newApply(f *Factory) *cobra.Command {
	o := &applyOptions{}
	c := &cobra.Command{
		Use: "apply", Short: "Create or update the objects of files, all or nothing", Args: exactly(),
		Long: "The server orders all objects by what they need and carries out all of them or none, as far as one store transaction holds them (about\n" +
			"60 objects). More are sent in portions, each after those that it needs and each all or nothing. When one is refused, those before it\n" +
			"stay: every object is reported, those of the refused portion and behind it as \"not applied\", and the exit code is 3. Repeating is harmless.\n" +
			"An object is its fields and a field \"kind\"; netctl export prints such files, netctl explain KIND the fields.",
		RunE: func(cmd *cobra.Command, _ []string) error { return runApply(cmd.Context(), f, o) },
	}
	o.register(c)
	o.registerDryRun(c)
	o.waiting.register(c)
	return c
}

func newDelete(f *Factory) *cobra.Command {
	o := &applyOptions{remove: true}
	c := &cobra.Command{
		Use: "delete", Short: "Delete the objects of files, all or nothing, as apply does", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runApply(cmd.Context(), f, o) },
	}
	o.register(c)
	o.registerDryRun(c)
	o.waiting.register(c)
	return c
}

func (o *applyOptions) registerDryRun(c *cobra.Command) {
	c.Flags().StringVar(&o.dryRun, "dry-run", "", `"server": check and report, change nothing`)
	c.Flags().Lookup("dry-run").NoOptDefVal = "server"
}

func runApply(ctx context.Context, f *Factory, o *applyOptions) error {
	if o.dryRun != "" && o.dryRun != "server" {
		return term.BadUsage("--dry-run %s: it is server", o.dryRun)
	}
	objects, c, err := o.read(f)
	if err != nil {
		return err
	}
	ctx, end := f.interruptible(ctx)
	defer end()
	p := &portions{c: c, remove: o.remove, dry: o.dryRun != ""}
	err = p.send(ctx, objects)
	if err := p.report(f); err != nil {
		return err
	}
	if err != nil {
		return p.incomplete(err)
	}
	if p.dry {
		return nil
	}
	return o.await(ctx, f, c, p.rev)
}

func newDiff(f *Factory) *cobra.Command {
	o := &applyOptions{}
	c := &cobra.Command{
		Use: "diff", Short: "Show what apply would change; exit 10 when there is a difference", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runDiff(cmd.Context(), f, o) },
	}
	o.register(c)
	return c
}

func runDiff(ctx context.Context, f *Factory, o *applyOptions) error {
	objects, c, err := o.read(f)
	if err != nil {
		return err
	}
	results, _, err := c.Apply(ctx, model.ApplyRequest{Objects: objects, DryRun: true})
	if err != nil {
		return err
	}
	different := 0
	for _, r := range results {
		if r.Action == model.ActionUnchanged {
			continue
		}
		different++
		sign := map[model.Action]string{model.ActionCreated: "+", model.ActionUpdated: "~"}[r.Action]
		if err := printf(f.Out, "%s %s %s%s\n", sign, r.Kind, r.Key, affects(r.Affected)); err != nil {
			return err
		}
		for _, change := range r.Changes {
			if err := printf(f.Out, "    %s: %s -> %s\n", change.Field, shown(change.Old), shown(change.New)); err != nil {
				return err
			}
		}
	}
	if different == 0 {
		return nil
	}
	fmt.Fprintf(f.Err, "%d of %d objects differ\n", different, len(results))
	return term.Outcome(term.Differs)
}

// affects says in words what a change concerns.
func affects(a *model.Affected) string {
	if a == nil {
		return ""
	}
	var parts []string
	switch len(a.Groups) {
	case 0:
	case 1:
		parts = append(parts, "group "+a.Groups[0])
	default:
		parts = append(parts, "groups "+strings.Join(a.Groups, ", "))
	}
	switch {
	case a.Endpoints == 1:
		parts = append(parts, "1 endpoint on "+a.Hosts[0])
	case a.Endpoints > 1:
		parts = append(parts, fmt.Sprintf("%d endpoints on %s", a.Endpoints, strings.Join(a.Hosts, ", ")))
	}
	return " (affects " + strings.Join(parts, "; ") + ")"
}

func shown(v any) string {
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
