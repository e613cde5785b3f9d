// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

type undoOptions struct {
	writing
	force bool
}

func newUndo(f *Factory) *cobra.Command {
	o := &undoOptions{}
	c := &cobra.Command{
		Use: "undo REVISION", Short: "Take back the changes of a revision",
		Long: "The objects that the revision has changed become what they were before it, in one transaction: deleted ones return, created ones are deleted.\n" +
			"netctl history lists the revisions. An object that has changed again since then is refused, unless --force is set. Endpoints belong to\n" +
			"their containers, and stay as they are.",
		Example: "  netctl history --since 1h\n  netctl undo 1234 --dry-run\n  netctl undo 1234",
		Args:    exactly("REVISION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			revision, err := strconv.ParseUint(args[0], 10, 64)
			if err != nil || revision == 0 {
				return term.BadUsage("REVISION: got %s, want a number such as 1234; netctl history lists them", args[0])
			}
			return runUndo(cmd.Context(), f, o, revision)
		},
	}
	c.Flags().BoolVar(&o.force, "force", false, "also undo changes of objects that have changed again since then")
	o.writing.register(c)
	return c
}

func runUndo(ctx context.Context, f *Factory, o *undoOptions, revision uint64) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	entries, err := c.History(ctx, client.HistoryQuery{})
	if err != nil {
		return err
	}
	ids, err := o.undoable(entries, revision)
	if err != nil {
		return err
	}
	var back, gone []model.ApplyObject
	for _, id := range ids {
		object, err := objectAt(ctx, c, id.kind, id.key, strconv.FormatUint(revision-1, 10))
		switch {
		case client.IsCode(err, model.CodeNotFound):
			gone = append(gone, keyed(id.kind, id.kind.Parts(id.key)))
			continue
		case err != nil:
			return err
		}
		of, err := requested(object)
		if err != nil {
			return err
		}
		back = append(back, of)
	}
	ctx, end := f.interruptible(ctx)
	defer end()
	p := &portions{c: c, dry: o.dryRun.on()}
	err = p.send(ctx, back, gone)
	if err := f.differences(format, changedObjects(p.results, p.dry, p.rev)); err != nil {
		return err
	}
	if err != nil {
		return p.incomplete(err)
	}
	return o.await(ctx, f, c, p.rev)
}

// undoable returns the objects of users that a revision has changed, each once.
func (o *undoOptions) undoable(entries []model.HistoryEntry, revision uint64) (out []objectID, _ error) {
	seen, known := map[objectID]bool{}, false
	for i := range entries {
		e := &entries[i]
		k, ok := model.KindOf(e.Kind)
		id := objectID{k, e.Key}
		if e.Revision == revision {
			known = true
			if ok && k.Writable() && !seen[id] {
				seen[id] = true
				out = append(out, id)
			}
		}
		if e.Revision > revision && ok && seen[id] && !o.force {
			return nil, term.Exitf(term.Server, "%s %s has changed since revision %d: revision %d, by %s: undo that first, or use --force", k.Name, e.Key, revision, e.Revision, e.By)
		}
	}
	switch {
	case !known:
		return nil, model.Errorf(model.CodeNotFound, "REVISION", "the history has no revision %d", revision).Try("list them with netctl history")
	case len(out) == 0:
		return nil, term.Exitf(term.Server, "revision %d has changed no object that a user changes: there is nothing to undo", revision)
	}
	return out, nil
}
