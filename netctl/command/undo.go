// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netctl/term"
)

type undoOptions struct {
	scope
	writing
	force bool
}

// undone are the changes to take back: those of a revision, and of it only those of one object if there is one.
type undone struct {
	revision uint64
	only     objectID // no kind: all objects
}

func newUndo(f *Factory) *cobra.Command {
	o := &undoOptions{}
	c := &cobra.Command{
		Use: "undo REVISION | KIND NAME | KIND/NAME", Short: "Take back the changes of a revision, or the last change of an object",
		Long: "The objects that the revision has changed become what they were before it, in one transaction: deleted ones return, created ones are deleted.\n" +
			"netctl history lists the revisions. An object that has changed again since then is refused, unless --force is set. With an object, only its\n" +
			"last change is taken back. Endpoints belong to their containers, and stay as they are.",
		Example:           "  netctl history --since 1h\n  netctl undo 1234 --dry-run\n  netctl undo 1234\n  netctl undo rule/shop:web-in:2",
		ValidArgsFunction: completeKindAndName(f),
		Args: func(cmd *cobra.Command, args []string) error {
			if _, ok := revisionOf(args); ok {
				return nil
			}
			if len(args) == 1 && !strings.Contains(args[0], "/") {
				return term.BadUsage("REVISION: got %s, want a number such as 1234, or KIND/NAME; netctl history lists revisions", args[0])
			}
			return exactly("KIND", "NAME")(cmd, kindAndName(args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runUndo(cmd.Context(), f, o, args)
		},
	}
	c.Flags().BoolVar(&o.force, "force", false, "also undo changes of objects that have changed again since then")
	o.registerAs(c, "tenant of the object")
	o.writing.register(c)
	return c
}

// revisionOf returns the revision that the arguments are.
func revisionOf(args []string) (revision uint64, ok bool) {
	if len(args) != 1 {
		return 0, false
	}
	revision, err := strconv.ParseUint(args[0], 10, 64)
	return revision, err == nil && revision > 0
}

// wanted returns what the arguments name.
func (o *undoOptions) wanted(ctx context.Context, c *client.Client, entries []model.HistoryEntry, args []string) (undone, error) {
	if revision, ok := revisionOf(args); ok {
		return undone{revision: revision}, nil
	}
	args = kindAndName(args)
	k, err := changeableKind(args[0])
	if err != nil {
		return undone{}, err
	}
	key, err := o.find(ctx, c, k, args[1])
	if err != nil {
		return undone{}, err
	}
	id := objectID{k, identity.Join(key...)}
	for _, e := range slices.Backward(entries) {
		if e.Kind == k.Name && e.Key == id.key {
			return undone{e.Revision, id}, nil
		}
	}
	return undone{}, model.Errorf(model.CodeNotFound, "NAME", "the history has no change of %s %s", k.Name, id.key).Try("list its objects with netctl history %s", k.Command.Use)
}

func runUndo(ctx context.Context, f *Factory, o *undoOptions, args []string) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	entries, err := c.History(ctx, client.HistoryQuery{})
	if err != nil {
		return err
	}
	u, err := o.wanted(ctx, c, entries, args)
	if err != nil {
		return err
	}
	ids, err := o.undoable(entries, u)
	if err != nil {
		return err
	}
	var back, gone []model.ApplyObject
	for _, id := range ids {
		object, err := objectAt(ctx, c, id.kind, id.key, strconv.FormatUint(u.revision-1, 10))
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

// undoable returns the objects of users whose changes are taken back, each once.
func (o *undoOptions) undoable(entries []model.HistoryEntry, u undone) (out []objectID, _ error) {
	seen, known, revision := map[objectID]bool{}, false, u.revision
	for i := range entries {
		e := &entries[i]
		k, ok := model.KindOf(e.Kind)
		id := objectID{k, e.Key}
		if e.Revision == revision {
			known = true
			if ok && k.Writable() && !seen[id] && (u.only.kind == nil || u.only == id) {
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
