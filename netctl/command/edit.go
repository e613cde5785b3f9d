// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/manifest"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

type editOptions struct {
	scope
	writing
}

func newEdit(f *Factory) *cobra.Command {
	o := &editOptions{}
	c := &cobra.Command{
		Use: "edit KIND NAME | KIND/NAME", Short: "Edit an object in your editor",
		Long: "The object opens in $VISUAL, $EDITOR or vi, in the format of netctl export. The saved text is applied in one transaction, as by netctl apply.\n" +
			"Nothing changes if the text is unchanged, or if the object has been changed by someone else meanwhile. A refused text is kept in a file,\n" +
			"which the message names.",
		Args:              func(cmd *cobra.Command, args []string) error { return exactly("KIND", "NAME")(cmd, kindAndName(args)) },
		ValidArgsFunction: completeKindAndName(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			args = kindAndName(args)
			k, err := changeableKind(args[0])
			if err != nil {
				return err
			}
			return runEdit(cmd.Context(), f, o, k, args[1])
		},
	}
	o.registerAs(c, "tenant of the object")
	o.writing.register(c)
	return c
}

func runEdit(ctx context.Context, f *Factory, o *editOptions, k *model.Kind, name string) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	of, err := o.find(ctx, c, k, name)
	if err != nil {
		return err
	}
	before, err := c.Get(ctx, k, of...)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "# %s %s; netctl explain %s lists the fields\n", k.Noun(), before.ObjectKey(), k.Name)
	if err := local(manifest.Write(&text, before)); err != nil {
		return err
	}
	path, err := term.Draft(text.Bytes())
	if err != nil {
		return local(err)
	}
	after, err := edited(ctx, f, path)
	if err != nil {
		return errors.Join(local(err), os.Remove(path))
	}
	if bytes.Equal(after, text.Bytes()) {
		return errors.Join(printf(f.Out, "no changes\n"), local(os.Remove(path)))
	}
	results, rev, err := applyEdited(ctx, c, before, after, o.dryRun.on())
	if err != nil {
		return fmt.Errorf("%w\nyour text is kept: netctl apply -f %s", err, path)
	}
	if err := errors.Join(local(os.Remove(path)), f.differences(format, changedObjects(results, o.dryRun.on(), rev))); err != nil {
		return err
	}
	return o.await(ctx, f, c, rev)
}

// applyEdited applies an edited text, which must describe the same object, if that has not changed since.
func applyEdited(ctx context.Context, c *client.Client, before model.Object, text []byte, dry bool) ([]model.ApplyResult, client.Revision, error) {
	k := before.Kind()
	objects, err := manifest.Parse(text)
	if err != nil {
		return nil, 0, term.Exitf(term.Usage, "%v", err)
	}
	placed, err := inOrder(objects, false)
	if err != nil {
		return nil, 0, err
	}
	if len(placed) != 1 || placed[0].key != before.ObjectKey() || !sameKind(placed[0].Kind, k) {
		return nil, 0, term.Exitf(term.Usage, "the text must be %s %s only", k.Name, before.ObjectKey())
	}
	return applyUnchanged(ctx, c, before, objects, dry)
}

func sameKind(name string, k *model.Kind) bool {
	other, ok := model.KindOf(name)
	return ok && other.Name == k.Name
}

// edited opens a file in the user's editor, and returns its contents afterwards. It blocks until the editor ends.
func edited(ctx context.Context, f *Factory, path string) ([]byte, error) {
	words := term.EditorCommand(f.Getenv)
	program := exec.CommandContext(ctx, words[0], append(words[1:], path)...)
	f.progress.End()
	program.Stdin, program.Stdout, program.Stderr = f.given.In, f.given.Out, f.given.Err
	if err := program.Run(); err != nil {
		return nil, fmt.Errorf("the editor %s: %w; set $EDITOR to use another", words[0], err)
	}
	return os.ReadFile(path)
}
