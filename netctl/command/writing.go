// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// writing has the flags of commands that change objects: --output, --dry-run and --wait.
type writing struct {
	output
	dryRun dryRun
	waiting
}

func (w *writing) register(c *cobra.Command) {
	w.registerOutput(c, "table")
	w.dryRun.register(c)
	w.waiting.register(c)
}

// registerTrial adds the flags of a command for whose change no agent is waited.
func (w *writing) registerTrial(c *cobra.Command) {
	w.registerOutput(c, "table")
	w.dryRun.register(c)
}

// client returns the client, after it has checked the flags.
func (w *writing) client(f *Factory) (*client.Client, term.Format, error) {
	if err := w.dryRun.check(); err != nil {
		return nil, term.Format{}, err
	}
	return w.output.client(f)
}

// put stores an object, or checks it with --dry-run, and prints the result; for people said, if the object was stored.
func (w *writing) put(ctx context.Context, f *Factory, c *client.Client, format term.Format, object model.Object, said string) (client.Revision, error) {
	if w.dryRun.on() {
		of, err := requested(object)
		if err != nil {
			return 0, err
		}
		p := &portions{c: c, dry: true}
		if err := p.send(ctx, []model.ApplyObject{of}, nil); err != nil {
			return 0, err
		}
		return 0, p.report(f, format)
	}
	rev, err := c.Put(ctx, object)
	if err != nil {
		return 0, err
	}
	done := changedObject{Kind: object.Kind().Name, Key: object.ObjectKey(), Action: "stored", Revision: rev}
	return rev, f.changed(format, []changedObject{done}, func(*changedObject) string { return said })
}

// await waits for the agents, unless nothing was changed.
func (w *writing) await(ctx context.Context, f *Factory, c *client.Client, rev client.Revision) error {
	if w.dryRun.on() {
		return nil
	}
	return w.waiting.await(ctx, f, c, rev)
}

// requested returns an object as a request has it.
func requested(object model.Object) (model.ApplyObject, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return model.ApplyObject{}, local(err)
	}
	fields := map[string]any{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return model.ApplyObject{}, local(err)
	}
	for name := range fields {
		if _, own := object.Kind().Field(name); !own { // links, and the key
			delete(fields, name)
		}
	}
	return model.ApplyObject{Kind: object.Kind().Name, Fields: fields}, nil
}

// keyed names an object in a request by the parts of its key.
func keyed(k *model.Kind, key []string) model.ApplyObject {
	fields := map[string]any{}
	for i, field := range k.Key {
		fields[field] = key[i]
	}
	return model.ApplyObject{Kind: k.Name, Fields: fields}
}
